/* Computes the state after an event, with tangent and adjoint, and decides by which law velocities
 * jump: see jump.h. */
#include "jump/jump.h"

#include <math.h>
#include <string.h>

#include "jump/impact.h"
#include "jump/table_reads.h"

saltus_status sal_jump_init(sal_jump *jump, const saltus_system *system, sal_field *before,
                            int max_lanes, sal_scratch *scratch, sal_arena *arena,
                            saltus_error *err)
{
    const int n = system->n, nx = system->unknowns, state = 2 * n + system->nm_user;
    memset(jump, 0, sizeof *jump);
    jump->system = system;
    jump->before = before;
    jump->scratch = scratch;
    TRY(sal_field_init(&jump->after, system, arena, max_lanes, err));
    if (system->model->found_contacts.count > 0)
        TRY(sal_field_init(&jump->contacts, system, arena, max_lanes, err));
    jump->state = ARENA_NEW(arena, state, double);
    jump->law_state = ARENA_NEW(arena, state, double);
    jump->charge = ARENA_NEW(arena, system->nc, double);
    jump->k_before = ARENA_NEW(arena, 2 * n, double);
    jump->k_after = ARENA_NEW(arena, 2 * n, double);
    jump->g_before = ARENA_NEW(arena, system->nc, double);
    jump->g_after = ARENA_NEW(arena, system->nc, double);
    jump->normal = ARENA_NEW(arena, nx, double);
    jump->response = ARENA_NEW(arena, nx, double);
    jump->rank = ARENA_NEW(arena, n, int);
    jump->shared =
        ARENA_NEW(arena, system->model->found_contacts.count, const sal_compiled_event *);
    sal_partition_init(&jump->partition, system, false, max_lanes, arena);
    jump->du_after = ARENA_NEW(arena, system->layout.size * max_lanes, double);
    return arena->failed ? sal_fail_memory(err) : SALTUS_OK;
}

/* The most scratch memory in use at once: what resets assign, together with the unknowns of the law
 * and its contact, or with velocities and a copy of u. */
size_t sal_jump_scratch(const saltus_system *system, int max_lanes)
{
    const int state = 2 * system->n + system->nm_user;
    return (size_t)((state + 2 * system->unknowns + 2 + system->nc) * max_lanes +
                    system->layout.size);
}

void sal_jump_release(sal_jump *jump)
{
    sal_partition_release(&jump->partition);
    sal_field_release(&jump->after);
    if (jump->contacts.system) sal_field_release(&jump->contacts);
}

/* ---- needs of the events that share a jump -------------------------------------------------- */

/* The reset of the event (i = 0), or of the i-th event that shares its jump. */
static const sal_reset *reset_at(const sal_jump *jump, int i)
{
    return i == 0 ? &jump->event->reset : &jump->shared[i - 1]->reset;
}

/* Adds what a reset needs to the needs of other resets. */
static sal_jump_needs needs_of(const sal_reset *reset, sal_jump_needs others)
{
    return (sal_jump_needs){.charge = others.charge || reset->has_charge,
                            .set_a = others.set_a || reset->set_needs_a,
                            .charge_a_before =
                                others.charge_a_before || reset->charge_needs_a_before,
                            .charge_a_after = others.charge_a_after || reset->charge_needs_a_after};
}

bool sal_jump_needs_a_before(const saltus_system *system, int event, const int *shared, int shares)
{
    sal_jump_needs needs = needs_of(&system->event[event].reset, (sal_jump_needs){0});
    for (int i = 0; i < shares; i++) needs = needs_of(&system->event[shared[i]].reset, needs);
    return needs.set_a || needs.charge_a_before;
}

/* ---- value ---------------------------------------------------------------------------------- */

/* Puts q, v, c after the jump into the field `before`, where maps of both states read them. */
static void put_after(const sal_jump *jump, const double *state)
{
    const int n2 = 2 * jump->system->n;
    sal_copy(sal_u(jump->before, SAL_LEAF_Q_AFTER), state, n2);
    sal_copy(sal_u(jump->before, SAL_LEAF_C_AFTER), state + n2, jump->system->nm_user);
}

/* Puts q+, t and the memories, which are known before the law, into the field of the law. All
 * fields have the parameters already. */
static void enter_after(const sal_jump *jump)
{
    const saltus_system *system = jump->system;
    const sal_field     *before = jump->before, *after = jump->law_field;
    sal_copy(sal_u(after, SAL_LEAF_Q), jump->state, system->n);
    sal_copy(sal_u(after, SAL_LEAF_C), sal_u(before, SAL_LEAF_C_AFTER), system->nm);
    *sal_u(after, SAL_LEAF_T) = *sal_u(before, SAL_LEAF_T);
}

/* Whether the event belongs to a contact whose modes the run finds; the run then finds its impact
 * as well. */
static bool is_found(const sal_jump *jump)
{
    return jump->event->user >= 0 && jump->system->model->events.data[jump->event->user].found;
}

/* Whether constraints other than those of contacts are active, which velocities must obey. Contacts
 * do not count: when velocities are set, contacts open or collide. */
static bool is_held_by_joints(const sal_jump *jump, const sal_regime *regime)
{
    for (int j = 0; j < jump->system->nmu; j++)
        if (regime->on[j] && !jump->system->model->constraints.data[j].found) return true;
    return false;
}

/* The law is chosen by the modes and the event alone, not by values of the state. */
static sal_law law_of(const sal_jump *jump)
{
    const sal_reset  *reset = &jump->event->reset;
    const sal_regime *old = jump->before->regime, *new = jump->after.regime;
    if (reset->restitution || jump->law_field != &jump->after) return SAL_LAW_IMPACT;
    if (!new->constrained || is_found(jump)) return SAL_LAW_NONE;
    if (reset->sets_velocity) return is_held_by_joints(jump, new) ? SAL_LAW_GIVEN : SAL_LAW_NONE;
    if (reset->sets_rest) return SAL_LAW_IMPACT;
    for (int j = 0; j < jump->system->nmu; j++)
        if (new->on[j] && !old->on[j] && !jump->system->model->constraints.data[j].found)
            return SAL_LAW_IMPACT;
    return SAL_LAW_NONE;
}

/* A coordinate whose velocity is set and also follows from the constraints, or -1. */
static int named_dependent(const sal_jump *jump)
{
    for (int i = 0; i < jump->system->n; i++)
        if (jump->rank[i] == 0 && jump->partition.dependent[i] >= 0) return i;
    return -1;
}

/* Computes the velocities of SAL_LAW_GIVEN: those that the event sets keep their values; of the
 * others, those given at the start are preferred as independent ones. */
static bool apply_given(sal_jump *jump)
{
    const saltus_system *system = jump->system;
    const sal_event     *source = &system->model->events.data[jump->event->user];
    for (int i = 0; i < system->n; i++)
        jump->rank[i] = system->model->coordinates.data[i].guessed ? 2 : 1;
    for (int i = 0; i < source->set.count; i++)
        if (source->set.data[i].kind == SAL_LEAF_V) jump->rank[source->set.data[i].index] = 0;
    sal_partition *p = &jump->partition;
    int redundant = sal_partition_choose(p, &jump->after, jump->rank, SAL_PARTITION_FAIR);
    if (redundant >= 0 && named_dependent(jump) >= 0)
        redundant = sal_partition_choose(p, &jump->after, jump->rank, SAL_PARTITION_STRICT);
    jump->out_of_memory = redundant < 0;
    if (redundant < 0) return false;
    jump->overset = named_dependent(jump);
    if (jump->overset >= 0) return false;
    double *v = jump->state + system->n;
    if (!sal_partition_velocities(p, &jump->after, v)) return false;
    sal_copy(sal_u(jump->before, SAL_LEAF_V_AFTER), v, system->n);
    return true;
}

/* Finds which constraints of the regime are needed, when it is entered for the first time. False:
 * they are singular, or out of memory. */
static bool look_at_constraints(sal_jump *jump)
{
    const saltus_system *system = jump->system;
    if (!jump->law_field->regime->constrained || !jump->redundancy ||
        sal_redundancy_known(jump->redundancy, jump->law_field->regime))
        return true;
    for (int i = 0; i < system->n; i++)
        jump->rank[i] = system->model->coordinates.data[i].guessed ? 1 : 0;
    jump->rank_of_constraints = sal_rank_find(jump->redundancy, &jump->partition, jump->law_field,
                                              jump->rank, &jump->dependent);
    jump->out_of_memory = jump->rank_of_constraints == SAL_RANK_MEMORY;
    return jump->rank_of_constraints == SAL_RANK_FULL ||
           jump->rank_of_constraints == SAL_RANK_REDUNDANT;
}

bool sal_jump_free(sal_jump *jump, const sal_regime *regime, bool impact, double *v)
{
    double      *v_before = jump->state + jump->system->n;
    saltus_error err = {0};
    jump->law_field = &jump->contacts;
    jump->law = SAL_LAW_IMPACT;
    jump->out_of_memory = sal_field_enter(jump->law_field, regime, &err) != SALTUS_OK ||
                          sal_field_reserve(jump->before, regime->slots, &err) != SALTUS_OK;
    if (jump->out_of_memory) return false;
    enter_after(jump);
    if (!look_at_constraints(jump)) return false;
    sal_copy(v, v_before, jump->system->n);
    if (!impact) return sal_impact_factor(jump);
    if (!sal_impact_apply(jump)) return false;
    for (int i = 0; i < jump->system->n; i++) {
        const double after = v_before[i];
        v_before[i] = v[i];
        v[i] = after;
    }
    return true;
}

bool sal_jump_settle(sal_jump *jump)
{
    sal_field *law = jump->law_field;
    jump->law_field = &jump->after;
    enter_after(jump);
    const bool ok = look_at_constraints(jump);
    jump->law_field = law;
    return ok;
}

static bool apply_law(sal_jump *jump)
{
    jump->law = law_of(jump);
    enter_after(jump);
    if (!look_at_constraints(jump)) return false;
    if (jump->law == SAL_LAW_IMPACT) return sal_impact_apply(jump);
    return jump->law == SAL_LAW_GIVEN ? apply_given(jump) : true;
}

static void apply_assigned(sal_jump *jump, const sal_assigned *assigned)
{
    if (assigned->count == 0) return;
    double *out = SCRATCH_NEW(jump->scratch, assigned->count, double);
    sal_map_value(&assigned->map, jump->before->u, out, jump->before->work);
    for (int i = 0; i < assigned->count; i++) jump->state[assigned->output[i]] = out[i];
    sal_scratch_release(jump->scratch, out);
}

void sal_jump_begin(sal_jump *jump, const sal_compiled_event *event)
{
    const saltus_system *system = jump->system;
    const int            n = system->n;
    const double        *u = jump->before->u;
    jump->event = event;
    jump->shares = 0;
    jump->needs = needs_of(&event->reset, (sal_jump_needs){0});
    jump->impulse = NAN;
    jump->overset = -1;
    jump->rank_of_constraints = SAL_RANK_FULL;
    jump->out_of_memory = false;
    sal_partition_forget(&jump->partition);
    sal_zero(sal_u(jump->before, SAL_LEAF_IMPULSE_MU), system->nmu);
    *sal_u(jump->before, SAL_LEAF_IMPULSE) = 0.0; /* zero unless the law has an impulse */
    sal_copy(sal_u(jump->before, SAL_LEAF_C_AFTER), u + system->layout.at[SAL_LEAF_C], system->nm);
    sal_copy(jump->state, u + system->layout.at[SAL_LEAF_Q], 2 * n);
    sal_copy(jump->state + 2 * n, u + system->layout.at[SAL_LEAF_C], system->nm_user);
    sal_table_reads_value(jump->before, &event->reset);
    apply_assigned(jump, &event->reset.before);
    put_after(jump, jump->state);
    sal_copy(sal_u(jump->before, SAL_LEAF_V_LAW), jump->state + n, n);
}

void sal_jump_begin_silent(sal_jump *jump, const sal_compiled_event *event)
{
    jump->silent = *event;
    jump->silent.reset = (sal_reset){.identity = true};
    sal_jump_begin(jump, &jump->silent);
}

void sal_jump_share(sal_jump *jump, const int *events, int count)
{
    jump->shares = count;
    for (int i = 0; i < count; i++) {
        jump->shared[i] = &jump->system->event[events[i]];
        jump->needs = needs_of(&jump->shared[i]->reset, jump->needs);
        apply_assigned(jump, &jump->shared[i]->reset.before);
    }
    put_after(jump, jump->state);
}

bool sal_jump_state(sal_jump *jump, const sal_regime *impact, double *x_after, double *c_after)
{
    const saltus_system *system = jump->system;
    const int            n = system->n, nu = system->nm_user;
    saltus_error         err = {0};
    jump->law_field = impact ? &jump->contacts : &jump->after;
    if (impact) {
        jump->out_of_memory = sal_field_enter(jump->law_field, impact, &err) != SALTUS_OK ||
                              sal_field_reserve(jump->before, impact->slots, &err) != SALTUS_OK;
        if (jump->out_of_memory) return false;
    }
    if (!apply_law(jump)) return false;
    sal_copy(jump->law_state, jump->state, 2 * n + nu);
    apply_assigned(jump, &jump->event->reset.late);
    sal_copy(x_after, jump->state, 2 * n);
    sal_copy(c_after, jump->state + 2 * n, nu);
    return true;
}

/* Adds up the charges of the event and of those that share its jump. */
static void find_charge(sal_jump *jump)
{
    const int count = jump->system->nc;
    double   *charge = SCRATCH_NEW(jump->scratch, count, double);
    for (int i = 0; i <= jump->shares; i++) {
        if (!reset_at(jump, i)->has_charge) continue;
        sal_map_value(&reset_at(jump, i)->charge, jump->before->u, charge, jump->before->work);
        for (int k = 0; k < count; k++) jump->charge[k] += charge[k];
    }
    sal_scratch_release(jump->scratch, charge);
}

sal_field_result sal_jump_rates(sal_jump *jump, double t, const double *x_after,
                                const double *c_after)
{
    const saltus_system *system = jump->system;
    sal_field           *before = jump->before, *after = &jump->after;
    const int            n = system->n;
    sal_copy(sal_u(after, SAL_LEAF_C), c_after, system->nm);
    const sal_field_result result = sal_field_eval(after, t, x_after, jump->k_after, jump->g_after);
    if (result != SAL_FIELD_OK) return result;
    sal_zero(jump->charge, system->nc);
    if (!jump->needs.charge && jump->event->reset.late.count == 0) return SAL_FIELD_OK;
    put_after(jump, jump->state);
    sal_copy(sal_u(before, SAL_LEAF_A_AFTER), sal_u(after, SAL_LEAF_A), n);
    sal_copy(sal_u(before, SAL_LEAF_MU_AFTER), sal_u(after, SAL_LEAF_MU), system->nmu);
    find_charge(jump);
    return SAL_FIELD_OK;
}

/* ---- tangent -------------------------------------------------------------------------------- */

static double *at(const sal_jump *jump, double *lanes_vector, int lanes, int kind)
{
    return sal_lanes_at(jump->system, lanes_vector, lanes, kind);
}

/* How many numbers of a kind there are, in all lanes. */
static int count_of(const sal_jump *jump, int kind, int lanes)
{
    return (jump->system->layout.at[kind + 1] - jump->system->layout.at[kind]) * lanes;
}

static void zero(const sal_jump *jump, double *du, int lanes, int kind)
{
    sal_zero(at(jump, du, lanes, kind), count_of(jump, kind, lanes));
}

/* Copies one kind to another one of the same size. */
static void copy(const sal_jump *jump, int lanes, double *to, int kind, double *from, int from_kind)
{
    sal_copy(at(jump, to, lanes, kind), at(jump, from, lanes, from_kind),
             count_of(jump, kind, lanes));
}

/* Kinds of numbers of a state: where a field has them for its own state, and where the field
 * `before` has them for the state after. The first three kinds jump. */
enum { JUMPING = 3, STATE_KINDS = 5 };
static const int own_kind[STATE_KINDS] = {SAL_LEAF_Q, SAL_LEAF_V, SAL_LEAF_C, SAL_LEAF_P,
                                          SAL_LEAF_T};
static const int after_kind[STATE_KINDS] = {SAL_LEAF_Q_AFTER, SAL_LEAF_V_AFTER, SAL_LEAF_C_AFTER,
                                            SAL_LEAF_P, SAL_LEAF_T};

/* Copies the tangent of the state after the event to where the field `after` uses it. */
static void enter_tangent(sal_jump *jump, double *du, int lanes)
{
    for (int k = 0; k < STATE_KINDS; k++)
        copy(jump, lanes, jump->du_after, own_kind[k], du, after_kind[k]);
}

/* Puts the field `after` into the state in which the law was solved: before the late part, on the
 * old branches of kinks. Returns a copy of u, which leave_law puts back. */
static double *enter_law(const sal_jump *jump)
{
    const sal_field *after = &jump->after;
    const int        size = jump->system->layout.size;
    double          *kept = SCRATCH_NEW(jump->scratch, size, double);
    sal_copy(kept, after->u, size);
    sal_copy(sal_u(after, SAL_LEAF_Q), jump->law_state, 2 * jump->system->n);
    sal_copy(sal_u(after, SAL_LEAF_C), sal_u(jump->before, SAL_LEAF_C_AFTER), jump->system->nm);
    return kept;
}

static void leave_law(const sal_jump *jump, double *kept)
{
    sal_copy(jump->after.u, kept, jump->system->layout.size);
    sal_scratch_release(jump->scratch, kept);
}

static void given_tangent(sal_jump *jump, double *du, int lanes)
{
    enter_tangent(jump, du, lanes);
    double *kept = enter_law(jump);
    sal_partition_tangent(&jump->partition, &jump->after, SAL_LEAF_V, jump->du_after, lanes,
                          at(jump, du, lanes, SAL_LEAF_V_AFTER));
    leave_law(jump, kept);
}

/* The place of the i-th component of (q, v, c) after the event. velocity: the kind of leaf for
 * velocities, before or after the law. */
static double *place_after(const sal_jump *jump, double *du, int lanes, int i, int velocity)
{
    const int n = jump->system->n;
    if (i < n) return at(jump, du, lanes, SAL_LEAF_Q_AFTER) + i * lanes;
    if (i < 2 * n) return at(jump, du, lanes, velocity) + (i - n) * lanes;
    return at(jump, du, lanes, SAL_LEAF_C_AFTER) + (i - 2 * n) * lanes;
}

static void assigned_tangent(sal_jump *jump, const sal_assigned *assigned, double *du, int lanes)
{
    if (assigned->count == 0) return;
    double *out = SCRATCH_NEW(jump->scratch, assigned->count * lanes, double);
    sal_map_tangent(&assigned->map, jump->before->u, du, lanes, out, jump->before->work);
    for (int i = 0; i < assigned->count; i++)
        sal_copy(place_after(jump, du, lanes, assigned->output[i], SAL_LEAF_V_AFTER),
                 out + i * lanes, lanes);
    sal_scratch_release(jump->scratch, out);
}

/* Tangents of accelerations and multipliers on both sides, where a charge contains them. */
static void reaction_tangents(sal_jump *jump, double *du, int lanes)
{
    if (jump->needs.charge_a_before) sal_field_tangent(jump->before, du, lanes, NULL);
    if (!jump->needs.charge_a_after) return;
    enter_tangent(jump, du, lanes);
    sal_field_tangent(&jump->after, jump->du_after, lanes, NULL);
    copy(jump, lanes, du, SAL_LEAF_A_AFTER, jump->du_after, SAL_LEAF_A);
    copy(jump, lanes, du, SAL_LEAF_MU_AFTER, jump->du_after, SAL_LEAF_MU);
}

static void charge_tangent(sal_jump *jump, sal_tangent *tangent)
{
    const int lanes = tangent->lanes, count = jump->system->nc * lanes;
    if (!jump->needs.charge) return;
    reaction_tangents(jump, tangent->du, lanes);
    put_after(jump, jump->state);
    double *charge = SCRATCH_NEW(jump->scratch, count, double);
    for (int k = 0; k <= jump->shares; k++) {
        if (!reset_at(jump, k)->has_charge) continue;
        sal_map_tangent(&reset_at(jump, k)->charge, jump->before->u, tangent->du, lanes, charge,
                        jump->before->work);
        for (int i = 0; i < count; i++) tangent->dz[i] += charge[i];
    }
    sal_scratch_release(jump->scratch, charge);
}

void sal_jump_tangent(sal_jump *jump, sal_tangent *tangent)
{
    const saltus_system *system = jump->system;
    const sal_reset     *reset = &jump->event->reset;
    const int            lanes = tangent->lanes;
    double              *du = tangent->du;
    if (reset->identity && jump->law == SAL_LAW_NONE) return;
    sal_tangent_put(system, tangent);
    sal_zero(at(jump, du, lanes, SAL_LEAF_C) + system->nm_user * lanes, system->kinks * lanes);
    zero(jump, du, lanes, SAL_LEAF_IMPULSE_MU);
    zero(jump, du, lanes, SAL_LEAF_IMPULSE);
    put_after(jump, jump->law_state);
    for (int k = 0; k < JUMPING; k++) /* where nothing is set */
        copy(jump, lanes, du, after_kind[k], du, own_kind[k]);
    sal_table_reads_tangent(jump->before, reset, du, lanes);
    if (jump->needs.set_a) sal_field_tangent(jump->before, du, lanes, NULL);
    for (int i = 0; i <= jump->shares; i++)
        assigned_tangent(jump, &reset_at(jump, i)->before, du, lanes);
    copy(jump, lanes, du, SAL_LEAF_V_LAW, du, SAL_LEAF_V_AFTER);
    if (jump->law == SAL_LAW_IMPACT) sal_impact_tangent(jump, du, lanes);
    if (jump->law == SAL_LAW_GIVEN) given_tangent(jump, du, lanes);
    assigned_tangent(jump, &reset->late, du, lanes);
    charge_tangent(jump, tangent);
    sal_copy(tangent->dx, at(jump, du, lanes, SAL_LEAF_Q_AFTER), 2 * system->n * lanes);
    copy(jump, lanes, du, SAL_LEAF_C, du, SAL_LEAF_C_AFTER);
}

/* ---- adjoint -------------------------------------------------------------------------------- */

/* Adds the numbers of one kind to those of another kind of the same size, and clears them. */
static void move(const sal_jump *jump, int lanes, double *to, int kind, double *from, int from_kind)
{
    double   *sum = at(jump, to, lanes, kind), *part = at(jump, from, lanes, from_kind);
    const int count = count_of(jump, kind, lanes);
    for (int i = 0; i < count; i++) sum[i] += part[i];
    sal_zero(part, count);
}

/* Moves the adjoint that the field `after` has gained to the state after the event. */
static void leave_adjoint(sal_jump *jump, double *u_bar, int lanes)
{
    for (int k = 0; k < STATE_KINDS; k++)
        move(jump, lanes, u_bar, after_kind[k], jump->du_after, own_kind[k]);
}

static void clear_after(sal_jump *jump, int lanes)
{
    sal_zero(jump->du_after, jump->system->layout.size * lanes);
}

/* Passes the adjoint of a+ and mu+ on to the state after, of which they are functions. */
static void reaction_adjoint(sal_jump *jump, double *u_bar, int lanes)
{
    const int half = jump->system->n * lanes;
    double   *a_bar = SCRATCH_NEW(jump->scratch, half, double);
    clear_after(jump, lanes);
    sal_copy(a_bar, at(jump, u_bar, lanes, SAL_LEAF_A_AFTER), half);
    copy(jump, lanes, jump->du_after, SAL_LEAF_MU, u_bar, SAL_LEAF_MU_AFTER);
    zero(jump, u_bar, lanes, SAL_LEAF_A_AFTER);
    zero(jump, u_bar, lanes, SAL_LEAF_MU_AFTER);
    sal_field_adjoint(&jump->after, a_bar, NULL, lanes, jump->du_after);
    sal_scratch_release(jump->scratch, a_bar);
    leave_adjoint(jump, u_bar, lanes);
}

/* Passes the adjoint of assigned quantities, gathered by take_outputs, on to what they depend
 * on. */
static void assigned_adjoint(sal_jump *jump, const sal_assigned *assigned, double *u_bar, int lanes,
                             double *out)
{
    if (assigned->count > 0)
        sal_map_adjoint(&assigned->map, jump->before->u, out, lanes, u_bar, jump->before->work);
}

/* Moves the adjoint of assigned quantities to `out`. */
static void take_outputs(const sal_jump *jump, const sal_assigned *assigned, double *u_bar,
                         int lanes, int velocity, double *out)
{
    for (int i = 0; i < assigned->count; i++) {
        double *place = place_after(jump, u_bar, lanes, assigned->output[i], velocity);
        sal_copy(out + i * lanes, place, lanes);
        sal_zero(place, lanes);
    }
}

/* The adjoint of SAL_LAW_GIVEN: v_bar of the independent velocities becomes that of v*. */
static void given_adjoint(sal_jump *jump, double *u_bar, int lanes)
{
    const int half = jump->system->n * lanes;
    double   *v_bar = SCRATCH_NEW(jump->scratch, half, double);
    clear_after(jump, lanes);
    sal_copy(v_bar, at(jump, u_bar, lanes, SAL_LEAF_V_AFTER), half);
    zero(jump, u_bar, lanes, SAL_LEAF_V_AFTER);
    double *kept = enter_law(jump);
    sal_partition_adjoint(&jump->partition, &jump->after, SAL_LEAF_V, v_bar, lanes, jump->du_after);
    leave_law(jump, kept);
    leave_adjoint(jump, u_bar, lanes);
    for (int i = 0; i < half; i++) at(jump, u_bar, lanes, SAL_LEAF_V_LAW)[i] += v_bar[i];
    sal_scratch_release(jump->scratch, v_bar);
}

/* Passes the adjoint of a and mu before the event on to the state before, of which they are
 * functions. */
static void before_adjoint(sal_jump *jump, double *u_bar, int lanes)
{
    double *a_bar = SCRATCH_NEW(jump->scratch, jump->system->n * lanes, double);
    sal_zero(a_bar, jump->system->n * lanes);
    sal_field_adjoint(jump->before, a_bar, NULL, lanes, u_bar);
    sal_scratch_release(jump->scratch, a_bar);
}

void sal_jump_charge_slopes(sal_jump *jump, const double *z_bar, int lanes, double *u_bar)
{
    put_after(jump, jump->state);
    for (int i = 0; i <= jump->shares; i++)
        if (reset_at(jump, i)->has_charge)
            sal_map_adjoint(&reset_at(jump, i)->charge, jump->before->u, z_bar, lanes, u_bar,
                            jump->before->work);
}

static void charge_adjoint(sal_jump *jump, sal_adjoint *adjoint)
{
    const int lanes = adjoint->lanes;
    if (!jump->needs.charge) return;
    sal_jump_charge_slopes(jump, adjoint->z_bar, lanes, adjoint->u_bar);
    if (jump->needs.charge_a_after) reaction_adjoint(jump, adjoint->u_bar, lanes);
    if (jump->needs.charge_a_before) before_adjoint(jump, adjoint->u_bar, lanes);
}

/* Puts the adjoint of the state after the event to its places in u_bar and clears all others. */
static void begin_adjoint(const sal_jump *jump, const sal_adjoint *adjoint)
{
    const saltus_system *system = jump->system;
    const int            lanes = adjoint->lanes;
    double              *bar = adjoint->u_bar;
    sal_copy(at(jump, bar, lanes, SAL_LEAF_Q_AFTER), adjoint->x_bar, 2 * system->n * lanes);
    copy(jump, lanes, bar, SAL_LEAF_C_AFTER, bar, SAL_LEAF_C);
    sal_zero(bar, system->layout.at[SAL_LEAF_P] * lanes); /* t to c */
    zero(jump, bar, lanes, SAL_LEAF_V_LAW);
    if (jump->law != SAL_LAW_IMPACT && !jump->needs.charge) return;
    zero(jump, bar, lanes, SAL_LEAF_A_AFTER);
    zero(jump, bar, lanes, SAL_LEAF_MU_AFTER);
    zero(jump, bar, lanes, SAL_LEAF_IMPULSE_MU);
    zero(jump, bar, lanes, SAL_LEAF_IMPULSE);
}

void sal_jump_adjoint(sal_jump *jump, sal_adjoint *adjoint)
{
    const saltus_system *system = jump->system;
    const sal_reset     *reset = &jump->event->reset;
    const int            lanes = adjoint->lanes, n2 = 2 * system->n;
    double              *bar = adjoint->u_bar;
    if (reset->identity && jump->law == SAL_LAW_NONE) return;
    double *out = SCRATCH_NEW(jump->scratch, (n2 + system->nm_user) * lanes, double);
    begin_adjoint(jump, adjoint);
    charge_adjoint(jump, adjoint);
    put_after(jump, jump->law_state);
    take_outputs(jump, &reset->late, bar, lanes, SAL_LEAF_V_AFTER, out);
    assigned_adjoint(jump, &reset->late, bar, lanes, out);
    if (jump->law == SAL_LAW_IMPACT) sal_impact_adjoint(jump, bar, lanes);
    if (jump->law == SAL_LAW_GIVEN) given_adjoint(jump, bar, lanes);
    if (jump->law == SAL_LAW_NONE) move(jump, lanes, bar, SAL_LEAF_V_LAW, bar, SAL_LEAF_V_AFTER);
    int taken = 0;
    for (int i = 0; i <= jump->shares; i++) {
        take_outputs(jump, &reset_at(jump, i)->before, bar, lanes, SAL_LEAF_V_LAW,
                     out + taken * lanes);
        taken += reset_at(jump, i)->before.count;
    }
    move(jump, lanes, bar, SAL_LEAF_Q, bar, SAL_LEAF_Q_AFTER); /* where nothing is set */
    move(jump, lanes, bar, SAL_LEAF_V, bar, SAL_LEAF_V_LAW);
    move(jump, lanes, bar, SAL_LEAF_C, bar, SAL_LEAF_C_AFTER);
    for (int i = jump->shares; i >= 0; i--) {
        taken -= reset_at(jump, i)->before.count;
        assigned_adjoint(jump, &reset_at(jump, i)->before, bar, lanes, out + taken * lanes);
    }
    if (jump->needs.set_a) before_adjoint(jump, bar, lanes);
    sal_table_reads_adjoint(jump->before, reset, bar, lanes);
    sal_scratch_release(jump->scratch, out);

    sal_copy(adjoint->x_bar, at(jump, bar, lanes, SAL_LEAF_Q), n2 * lanes);
    for (int l = 0; l < lanes; l++) adjoint->t_bar[l] += at(jump, bar, lanes, SAL_LEAF_T)[l];
    sal_zero(at(jump, bar, lanes, SAL_LEAF_C) + system->nm_user * lanes, system->kinks * lanes);
}
