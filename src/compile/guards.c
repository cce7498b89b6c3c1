/* Shared programs for the guards of nested kinks, as in abs(abs(abs(x) - 1) - 1) or the least of
 * many distances. The n-th guard contains all guards before it, so separate programs would have a
 * total length proportional to n^2. Instead, all guards share one program for values, one for
 * tangents, and so on; each guard is a view of its outputs. */
#include "compile/system.h"
#include "expr/derive.h"

/* Separate programs are shorter to evaluate. Guards share programs only if separate ones would have
 * more than FEW_NODES + TIMES_LONGER times the nodes of a shared one, and if the guards contain at
 * most MAX_LEAVES different leaves. */
enum { FEW_NODES = 40000, TIMES_LONGER = 4, MAX_LEAVES = 16 };

typedef struct leaf {
    int kind, index;
} leaf;

typedef struct sharing {
    saltus_system *system;
    sal_graph     *graph;
    sal_arena      scratch;
    int            count; /* number of guards, in the order of the events of kinks */
    sal_node      *guard, *rate, *bend, *tangent; /* by guard: r, r', r'' and its tangent */
    leaf           leaf[MAX_LEAVES];              /* leaves by which guards are differentiated */
    int            leaves;
    sal_node      *slope; /* by guard and leaf: the partial derivative */
} sharing;

/* Returns the event of the i-th guard. The events of kinks are the last of those that are shown. */
static sal_compiled_event *event_of(const sharing *s, int i)
{
    return &s->system->event[s->system->events_shown - s->count + i];
}

/* ---- the decision --------------------------------------------------------------------------- */

/* Whether a leaf has a derivative. Branches have none: they are constant between events, and events
 * set them to numbers. */
static bool differs_by(const saltus_system *system, int kind, int index)
{
    return kind < SAL_LEAF_STATE_KINDS && !(kind == SAL_LEAF_C && index >= system->nm_user);
}

/* Lists the leaves of all guards that have derivatives; false if there are too many, or when out of
 * memory. */
static bool list_leaves(sharing *s)
{
    if (!sal_graph_walk(s->graph, s->guard, s->count)) return false;
    for (int i = 0; i < s->graph->walk.list.count; i++) {
        leaf l;
        if (!sal_is_leaf(s->graph, s->graph->walk.list.data[i], &l.kind, &l.index)) continue;
        if (!differs_by(s->system, l.kind, l.index)) continue;
        if (s->leaves == MAX_LEAVES) return false;
        s->leaf[s->leaves++] = l;
    }
    return true;
}

static bool begin(sharing *s, saltus_system *system)
{
    *s = (sharing){.system = system, .graph = &system->model->graph};
    s->count = system->events - system->model->events.count;
    sal_arena_init(&s->scratch, &system->arena.allocator);
    s->guard = ARENA_NEW(&s->scratch, s->count, sal_node);
    if (!s->guard) return false;
    for (int i = 0; i < s->count; i++) s->guard[i] = system->kink[event_of(s, i)->kink].argument;
    return true;
}

bool sal_guards_are_nested(saltus_system *system)
{
    sharing s;
    bool    ok = begin(&s, system) && list_leaves(&s);
    if (ok) {
        const int most = FEW_NODES + TIMES_LONGER * s.graph->walk.list.count;
        int       nodes = 0;
        for (int i = 0; i < s.count && ok && nodes <= most; i++) {
            ok = !sal_depends_on(s.graph, s.guard[i], SAL_KINDS_REACTION) &&
                 sal_graph_walk(s.graph, &s.guard[i], 1);
            nodes += s.graph->walk.list.count;
        }
        ok = ok && nodes > most;
    }
    sal_arena_free(&s.scratch);
    return ok;
}

/* ---- building ------------------------------------------------------------------------------- */

static sal_node there(sal_graph *graph, sal_node node)
{
    return node ? node : sal_const(graph, 0.0);
}

static sal_node seed_leaf(void *context, sal_graph *graph, int kind, int index)
{
    const leaf *l = context;
    return kind == l->kind && index == l->index ? sal_const(graph, 1.0) : 0;
}

/* Builds all derivatives, each in one walk over all guards. */
static bool derive(sharing *s)
{
    sal_node *of_leaf = ARENA_NEW(&s->scratch, s->count, sal_node);
    s->rate = ARENA_NEW(&s->scratch, s->count, sal_node);
    s->bend = ARENA_NEW(&s->scratch, s->count, sal_node);
    s->tangent = ARENA_NEW(&s->scratch, s->count, sal_node);
    s->slope = ARENA_NEW(&s->scratch, s->count * s->leaves, sal_node);
    if (s->scratch.failed) return false;
    sal_derive_times(s->graph, s->guard, s->count, s->rate);
    sal_derive_times(s->graph, s->rate, s->count, s->bend);
    sal_derive_along(s->graph, s->guard, s->count, sal_seed_tangent, NULL, s->tangent);
    for (int l = 0; l < s->leaves; l++) {
        sal_derive_along(s->graph, s->guard, s->count, seed_leaf, &s->leaf[l], of_leaf);
        for (int i = 0; i < s->count; i++) s->slope[i * s->leaves + l] = of_leaf[i];
    }
    return !s->graph->failed;
}

/* The kernels that all guards share. */
typedef struct programs {
    sal_kernel value, tangent, adjoint, along;
} programs;

static bool add_adjoint(sharing *s, sal_kernel *kernel, sal_target *targets)
{
    const sal_node weight = sal_leaf(s->graph, SAL_LEAF_WEIGHT, 0);
    const int      count = s->count * s->leaves;
    for (int k = 0; k < count; k++) {
        const leaf *l = &s->leaf[k % s->leaves];
        targets[k] = (sal_target){
            .node = there(s->graph, s->slope[k] ? sal_mul(s->graph, weight, s->slope[k]) : 0),
            .kind = l->kind,
            .index = l->index,
            .row = -1};
    }
    return sal_system_kernel(s->system, kernel, targets, count);
}

static bool build(sharing *s, programs *p)
{
    const int   n = s->count, most = n * (s->leaves > 3 ? s->leaves : 3);
    sal_target *targets = ARENA_NEW(&s->scratch, most, sal_target);
    if (!targets) return false;
    for (int i = 0; i < n; i++) targets[i] = SAL_OUTPUT(s->guard[i], i);
    bool ok = sal_system_kernel(s->system, &p->value, targets, n);
    for (int i = 0; i < n; i++) targets[i].node = there(s->graph, s->tangent[i]);
    ok = ok && sal_system_kernel(s->system, &p->tangent, targets, n) &&
         add_adjoint(s, &p->adjoint, targets);
    for (int i = 0; i < n; i++) {
        targets[3 * i] = SAL_OUTPUT(s->guard[i], 0);
        targets[3 * i + 1] = SAL_OUTPUT(s->rate[i], 1);
        targets[3 * i + 2] = SAL_OUTPUT(s->bend[i], 2);
    }
    return ok && sal_system_kernel(s->system, &p->along, targets, 3 * n);
}

/* Makes the kernels of the i-th guard as views of the shared ones. */
static bool take(sharing *s, const programs *p, int i, const int *place)
{
    sal_compiled_event   *event = event_of(s, i);
    sal_arena            *arena = &s->system->arena;
    const sal_along_nodes r = {s->guard[i], s->rate[i], s->bend[i]};
    const int             along = sal_event_note_along(s->graph, event, &r);
    event->guard.outputs = 1;
    if (!sal_kernel_view(&event->guard.value, &p->value, i, 1, place, arena) ||
        !sal_kernel_view(&event->guard.tangent, &p->tangent, i, 1, place, arena) ||
        !sal_kernel_view(&event->guard.adjoint, &p->adjoint, i * s->leaves, s->leaves, NULL,
                         arena) ||
        !sal_kernel_view(&event->along, &p->along, 3 * i, along, place, arena))
        return false;
    sal_kernel_store(&event->along, along);
    return true;
}

static bool share(sharing *s)
{
    programs p = {0};
    bool    *smooth = ARENA_NEW(&s->scratch, s->count, bool);
    int     *place = ARENA_NEW(&s->system->arena, 3, int);
    if (!smooth || !place || !derive(s) || !build(s, &p) ||
        !sal_guards_find_smooth(s->graph, s->guard, s->count, smooth))
        return false;
    for (int k = 0; k < 3; k++) place[k] = k;
    bool ok = true;
    for (int i = 0; i < s->count && ok; i++) {
        ok = take(s, &p, i, place);
        event_of(s, i)->guard_is_smooth = smooth[i];
    }
    return ok;
}

bool sal_guards_share(saltus_system *system)
{
    sharing    s;
    const bool ok = begin(&s, system) && list_leaves(&s) && share(&s);
    sal_arena_free(&s.scratch);
    return ok;
}
