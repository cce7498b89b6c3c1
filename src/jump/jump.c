/* A jump with its tangent and adjoint: see jump.h. */
#include "jump/jump.h"

#include <math.h>
#include <string.h>

#include "jump/picks.h"

saltus_status sal_jump_init(sal_jump *jump, const saltus_system *system, sal_field *before,
                            int max_lanes, sal_scratch *scratch, sal_arena *arena,
                            saltus_error *err)
{
    const int n = system->n, nx = system->nx, state = 2 * n + system->nm_user;
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
    jump->border = ARENA_NEW(arena, nx, double);
    jump->answer = ARENA_NEW(arena, nx, double);
    jump->rank = ARENA_NEW(arena, n, int);
    jump->shared = ARENA_NEW(arena, system->model->found_contacts.count, const sal_event_system *);
    sal_partition_init(&jump->partition, system, max_lanes, arena);
    jump->du_after = ARENA_NEW(arena, system->layout.size * max_lanes, double);
    return arena->failed ? sal_fail_memory(err) : SALTUS_OK;
}

/* What a reset assigns, while the unknowns of the law and its contact, or velocities and a copy of
 * u, are in use. */
size_t sal_jump_scratch(const saltus_system *system, int max_lanes)
{
    const int state = 2 * system->n + system->nm_user;
    return (size_t)((state + 2 * system->nx + 2 + system->nc) * max_lanes + system->layout.size);
}

void sal_jump_release(sal_jump *jump)
{
    sal_partition_release(&jump->partition);
    sal_field_release(&jump->after);
    if (jump->contacts.system) sal_field_release(&jump->contacts);
}

/* ---- what the event does, and those that share its jump ---------------------------------------
 */

/* The i-th of them: first the event itself. */
static const sal_reset *reset_at(const sal_jump *jump, int i)
{
    return i == 0 ? &jump->event->reset : &jump->shared[i - 1]->reset;
}

/* Notes what one of them needs. */
static void add_needs(sal_jump *jump, const sal_reset *reset)
{
    jump->has_charge |= reset->has_charge;
    jump->set_needs_a |= reset->set_needs_a;
    jump->charge_needs_a_before |= reset->charge_needs_a_before;
    jump->charge_needs_a_after |= reset->charge_needs_a_after;
}

bool sal_jump_needs_a_before(const saltus_system *system, int event, const int *shared, int shares)
{
    for (int i = -1; i < shares; i++) {
        const sal_reset *reset = &system->event[i < 0 ? event : shared[i]].reset;
        if (reset->set_needs_a || reset->charge_needs_a_before) return true;
    }
    return false;
}

/* ---- value ---------------------------------------------------------------------------------- */

/* Puts q, v, c after the jump into the field before, where maps of both states find them. */
static void put_after(const sal_jump *jump, const double *state)
{
    const int n2 = 2 * jump->system->n;
    sal_copy(sal_u(jump->before, SAL_LEAF_Q_AFTER), state, n2);
    sal_copy(sal_u(jump->before, SAL_LEAF_C_AFTER), state + n2, jump->system->nm_user);
}

/* Puts the state after the reset, as far as it is known before the law, into the field of the law.
 * All fields have the parameters already. */
static void enter_after(const sal_jump *jump)
{
    const saltus_system *system = jump->system;
    const sal_field     *before = jump->before, *after = jump->collides;
    sal_copy(sal_u(after, SAL_LEAF_Q), jump->state, system->n);
    sal_copy(sal_u(after, SAL_LEAF_C), sal_u(before, SAL_LEAF_C_AFTER), system->nm);
    *sal_u(after, SAL_LEAF_T) = *sal_u(before, SAL_LEAF_T);
}

/* Whether the event is one of a contact whose modes are found: impacts are found with them. */
static bool is_found(const sal_jump *jump)
{
    return jump->event->user >= 0 && jump->system->model->events.data[jump->event->user].found;
}

/* Whether velocities follow from others by constraints that are none of contacts: contacts let go
 * of what is set, or are hit by it. */
static bool is_held_by_joints(const sal_jump *jump, const sal_regime *regime)
{
    for (int j = 0; j < jump->system->nmu; j++)
        if (regime->on[j] && !jump->system->model->constraints.data[j].found) return true;
    return false;
}

/* The law follows from the modes and from the event, not from values. */
static sal_law law_of(const sal_jump *jump)
{
    const sal_reset  *reset = &jump->event->reset;
    const sal_regime *old = jump->before->regime, *new = jump->after.regime;
    if (reset->restitution || jump->collides != &jump->after) return SAL_LAW_IMPACT;
    if (!new->constrained || is_found(jump)) return SAL_LAW_NONE;
    if (reset->sets_velocity) return is_held_by_joints(jump, new) ? SAL_LAW_GIVEN : SAL_LAW_NONE;
    if (reset->sets_rest) return SAL_LAW_IMPACT;
    for (int j = 0; j < jump->system->nmu; j++)
        if (new->on[j] && !old->on[j] && !jump->system->model->constraints.data[j].found)
            return SAL_LAW_IMPACT;
    return SAL_LAW_NONE;
}

/* Unknowns of an impact: v+, the impulses of constraints, and that of the contact. */
static int law_size(const sal_jump *jump)
{
    return jump->system->nx + (jump->event->reset.restitution ? 1 : 0);
}

/* Whether an impulse along the contact's normal moves nothing, because the constraints hold it: b^T
 * w is then rounding, compared with what b would move alone. */
static bool contact_is_held(const sal_jump *jump)
{
    double alone = 0.0;
    for (int i = 0; i < jump->system->n; i++) {
        const int   *columns;
        int          count;
        const int    first = sal_symmetric_row(&jump->collides->regime->shape, i, &count, &columns);
        const double mass = jump->collides->out[first + count - 1];
        if (mass > 0.0) alone = fmax(alone, jump->border[i] * jump->border[i] / mass);
    }
    return !(fabs(jump->give) > 1e-12 * alone);
}

/* The matrix [K b; b^T 0], K = [M Phi_q^T; Phi_q 0], b = -(r_q, 0), at the relabelled positions: K
 * factored, w with K w = b, and b^T w. */
static bool factor_law(sal_jump *jump)
{
    const int              n = jump->system->n, nx = jump->system->nx;
    double                *b = jump->border, *w = jump->answer;
    const sal_field_result result = sal_field_factor_law(jump->collides);
    jump->out_of_memory = result == SAL_FIELD_MEMORY;
    if (result != SAL_FIELD_OK) return false;
    if (!jump->event->reset.restitution) return true;
    sal_map_value(&jump->event->reset.normal, jump->before->u, b, jump->before->work);
    for (int i = 0; i < n; i++) b[i] = -b[i];
    sal_zero(b + n, nx - n);
    sal_copy(w, b, nx);
    sal_field_solve_law(jump->collides, false, w, 1);
    jump->give = 0.0;
    for (int i = 0; i < n; i++) jump->give += b[i] * w[i];
    return isfinite(jump->give) && !contact_is_held(jump);
}

/* Solves with that matrix, or its transpose, in place; B in lanes. */
static void solve_law(const sal_jump *jump, bool transposed, double *B, int lanes)
{
    const int nx = jump->system->nx;
    sal_field_mask(jump->collides, B, lanes);
    sal_field_solve_law(jump->collides, transposed, B, lanes);
    if (!jump->event->reset.restitution) return;
    if (transposed && jump->collides->regime->slides > 0) {
        sal_copy(jump->answer, jump->border, nx);
        sal_field_solve_law(jump->collides, true, jump->answer, 1);
    }
    for (int l = 0; l < lanes; l++) {
        double along = -B[nx * lanes + l];
        for (int i = 0; i < jump->system->n; i++) along += jump->border[i] * B[i * lanes + l];
        const double impulse = along / jump->give;
        for (int i = 0; i < nx; i++) B[i * lanes + l] -= jump->answer[i] * impulse;
        B[nx * lanes + l] = impulse;
    }
}

/* The residual of the law, in lanes: momentum and constraints, then the contact. */
static void join_contact(const sal_jump *jump, double *residual, const double *contact, int lanes)
{
    const int n = jump->system->n, nx = jump->system->nx;
    for (int i = 0; i < n * lanes; i++) residual[i] += contact[i];
    for (int l = 0; l < lanes; l++) residual[nx * lanes + l] = contact[n * lanes + l];
}

/* v+ and the impulses from v*. The law is linear, so its residual at 0 is the right-hand side. */
static bool apply_impact(sal_jump *jump)
{
    const saltus_system *system = jump->system;
    const int            n = system->n, size = law_size(jump);
    sal_field           *before = jump->before;
    double              *v_after = sal_u(before, SAL_LEAF_V_AFTER);
    if (!factor_law(jump)) return false;
    double *x = SCRATCH_NEW(jump->scratch, system->nx + 1, double);
    sal_zero(v_after, n);
    sal_zero(sal_u(before, SAL_LEAF_IMPULSE_MU), system->nmu);
    *sal_u(before, SAL_LEAF_IMPULSE) = 0.0;
    sal_map_value(&jump->collides->regime->momentum, before->u, x, before->work);
    if (jump->event->reset.restitution) {
        double *contact = SCRATCH_NEW(jump->scratch, n + 1, double);
        sal_map_value(&jump->event->reset.contact, before->u, contact, before->work);
        join_contact(jump, x, contact, 1);
    }
    for (int i = 0; i < size; i++) x[i] = -x[i];
    solve_law(jump, false, x, 1);
    sal_copy(v_after, x, n);
    sal_copy(jump->state + n, x, n);
    sal_copy(sal_u(before, SAL_LEAF_IMPULSE_MU), x + n, system->nmu);
    if (size > system->nx) jump->impulse = *sal_u(before, SAL_LEAF_IMPULSE) = x[size - 1];
    sal_scratch_release(jump->scratch, x);
    return true;
}

/* A coordinate whose velocity is set and also follows from the constraints, or -1. */
static int named_dependent(const sal_jump *jump)
{
    for (int i = 0; i < jump->system->n; i++)
        if (jump->rank[i] == 0 && jump->partition.dependent[i] >= 0) return i;
    return -1;
}

/* Velocities the event names stay as they are set; of the others, those given at the start. */
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

/* Which constraints of the regime are needed, when it is entered for the first time. */
static bool look_at_constraints(sal_jump *jump)
{
    const saltus_system *system = jump->system;
    if (!jump->collides->regime->constrained || !jump->redundancy ||
        sal_redundancy_known(jump->redundancy, jump->collides->regime))
        return true;
    for (int i = 0; i < system->n; i++)
        jump->rank[i] = system->model->coordinates.data[i].guessed ? 1 : 0;
    jump->rank_of_constraints = sal_rank_find(jump->redundancy, &jump->partition, jump->collides,
                                              jump->rank, &jump->dependent);
    jump->out_of_memory = jump->rank_of_constraints == SAL_RANK_MEMORY;
    return jump->rank_of_constraints == SAL_RANK_FULL ||
           jump->rank_of_constraints == SAL_RANK_REDUNDANT;
}

bool sal_jump_free(sal_jump *jump, const sal_regime *regime, bool impact, double *v)
{
    double      *v_before = jump->state + jump->system->n;
    saltus_error err = {0};
    jump->collides = &jump->contacts;
    jump->law = SAL_LAW_IMPACT;
    jump->out_of_memory = sal_field_enter(jump->collides, regime, &err) != SALTUS_OK ||
                          sal_field_reserve(jump->before, regime->slots, &err) != SALTUS_OK;
    if (jump->out_of_memory) return false;
    enter_after(jump);
    if (!look_at_constraints(jump)) return false;
    sal_copy(v, v_before, jump->system->n);
    if (!impact) return factor_law(jump);
    if (!apply_impact(jump)) return false;
    for (int i = 0; i < jump->system->n; i++) {
        const double after = v_before[i];
        v_before[i] = v[i];
        v[i] = after;
    }
    return true;
}

void sal_jump_respond(sal_jump *jump, const double *force, double *v)
{
    const int n = jump->system->n, size = law_size(jump);
    double   *x = SCRATCH_NEW(jump->scratch, size, double);
    sal_zero(x, size);
    sal_copy(x, force, n);
    solve_law(jump, false, x, 1);
    sal_copy(v, x, n);
    sal_scratch_release(jump->scratch, x);
}

bool sal_jump_settle(sal_jump *jump)
{
    sal_field *law = jump->collides;
    jump->collides = &jump->after;
    enter_after(jump);
    const bool ok = look_at_constraints(jump);
    jump->collides = law;
    return ok;
}

static bool apply_law(sal_jump *jump)
{
    jump->law = law_of(jump);
    enter_after(jump);
    if (!look_at_constraints(jump)) return false;
    if (jump->law == SAL_LAW_IMPACT) return apply_impact(jump);
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

void sal_jump_begin(sal_jump *jump, const sal_event_system *event)
{
    const saltus_system *system = jump->system;
    const int            n = system->n;
    const double        *u = jump->before->u;
    jump->event = event;
    jump->shares = 0;
    jump->has_charge = jump->set_needs_a = false;
    jump->charge_needs_a_before = jump->charge_needs_a_after = false;
    add_needs(jump, &event->reset);
    jump->impulse = NAN;
    jump->overset = -1;
    jump->rank_of_constraints = SAL_RANK_FULL;
    jump->out_of_memory = false;
    sal_partition_forget(&jump->partition);
    sal_zero(sal_u(jump->before, SAL_LEAF_IMPULSE_MU), system->nmu);
    *sal_u(jump->before, SAL_LEAF_IMPULSE) = 0.0; /* unless the law has some */
    sal_copy(sal_u(jump->before, SAL_LEAF_C_AFTER), u + system->layout.at[SAL_LEAF_C], system->nm);
    jump->collides = &jump->after;
    sal_copy(jump->state, u + system->layout.at[SAL_LEAF_Q], 2 * n);
    sal_copy(jump->state + 2 * n, u + system->layout.at[SAL_LEAF_C], system->nm_user);
    sal_picks_value(jump->before, &event->reset);
    apply_assigned(jump, &event->reset.before);
    put_after(jump, jump->state);
    sal_copy(sal_u(jump->before, SAL_LEAF_V_LAW), jump->state + n, n);
}

void sal_jump_begin_silent(sal_jump *jump, const sal_event_system *event)
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
        add_needs(jump, &jump->shared[i]->reset);
        apply_assigned(jump, &jump->shared[i]->reset.before);
    }
    put_after(jump, jump->state);
}

bool sal_jump_state(sal_jump *jump, const sal_regime *impact, double *x_after, double *c_after)
{
    const saltus_system *system = jump->system;
    const sal_reset     *reset = &jump->event->reset;
    const int            n = system->n, nu = system->nm_user;
    saltus_error         err = {0};
    if (impact) {
        jump->collides = &jump->contacts;
        jump->out_of_memory = sal_field_enter(jump->collides, impact, &err) != SALTUS_OK ||
                              sal_field_reserve(jump->before, impact->slots, &err) != SALTUS_OK;
        if (jump->out_of_memory) return false;
    }
    if (!apply_law(jump)) return false;
    sal_copy(jump->law_state, jump->state, 2 * n + nu);
    if (reset->has_late) apply_assigned(jump, &reset->late);
    sal_copy(x_after, jump->state, 2 * n);
    sal_copy(c_after, jump->state + 2 * n, nu);
    return true;
}

/* The charges of all of them. */
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
    const sal_reset     *reset = &jump->event->reset;
    sal_field           *before = jump->before, *after = &jump->after;
    const int            n = system->n;
    sal_copy(sal_u(after, SAL_LEAF_C), c_after, system->nm);
    const sal_field_result result = sal_field_eval(after, t, x_after, jump->k_after, jump->g_after);
    if (result != SAL_FIELD_OK) return result;
    sal_zero(jump->charge, system->nc);
    if (!jump->has_charge && !reset->has_late) return SAL_FIELD_OK;
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

/* What a field has of the state it is at, and what the field before has of the state after: of
 * these, the first three jump. */
enum { JUMPING = 3, STATE_KINDS = 5 };
static const int own_kind[STATE_KINDS] = {SAL_LEAF_Q, SAL_LEAF_V, SAL_LEAF_C, SAL_LEAF_P,
                                          SAL_LEAF_T};
static const int after_kind[STATE_KINDS] = {SAL_LEAF_Q_AFTER, SAL_LEAF_V_AFTER, SAL_LEAF_C_AFTER,
                                            SAL_LEAF_P, SAL_LEAF_T};

static void impact_tangent(sal_jump *jump, double *du, int lanes)
{
    const saltus_system *system = jump->system;
    const int            n = system->n, nx = system->nx, size = law_size(jump);
    double              *work = jump->before->work;
    double              *x = SCRATCH_NEW(jump->scratch, (nx + 1) * lanes, double);
    zero(jump, du, lanes, SAL_LEAF_V_AFTER);
    zero(jump, du, lanes, SAL_LEAF_IMPULSE_MU);
    zero(jump, du, lanes, SAL_LEAF_IMPULSE);
    sal_map_tangent(&jump->collides->regime->momentum, jump->before->u, du, lanes, x, work);
    if (size > nx) {
        double *contact = SCRATCH_NEW(jump->scratch, (n + 1) * lanes, double);
        sal_map_tangent(&jump->event->reset.contact, jump->before->u, du, lanes, contact, work);
        join_contact(jump, x, contact, lanes);
    }
    for (int i = 0; i < size * lanes; i++) x[i] = -x[i];
    solve_law(jump, false, x, lanes);
    sal_copy(at(jump, du, lanes, SAL_LEAF_V_AFTER), x, n * lanes);
    sal_copy(at(jump, du, lanes, SAL_LEAF_IMPULSE_MU), x + n * lanes, system->nmu * lanes);
    if (size > nx) sal_copy(at(jump, du, lanes, SAL_LEAF_IMPULSE), x + nx * lanes, lanes);
    sal_scratch_release(jump->scratch, x);
}

/* The tangent as the field after uses it: its state is the one after the event. */
static void enter_tangent(sal_jump *jump, double *du, int lanes)
{
    for (int k = 0; k < STATE_KINDS; k++)
        copy(jump, lanes, jump->du_after, own_kind[k], du, after_kind[k]);
}

/* Puts the field after into the state that the given law saw (nothing late, old branches). Returns
 * what was in it, which leave_law puts back. */
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

/* The place of the i-th of (q, v, c) after the event; for velocities, before or after the law. */
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

/* Accelerations and multipliers on both sides, where a charge contains them. */
static void reaction_tangents(sal_jump *jump, double *du, int lanes)
{
    if (jump->charge_needs_a_before) sal_field_tangent(jump->before, du, lanes, NULL);
    if (!jump->charge_needs_a_after) return;
    enter_tangent(jump, du, lanes);
    sal_field_tangent(&jump->after, jump->du_after, lanes, NULL);
    copy(jump, lanes, du, SAL_LEAF_A_AFTER, jump->du_after, SAL_LEAF_A);
    copy(jump, lanes, du, SAL_LEAF_MU_AFTER, jump->du_after, SAL_LEAF_MU);
}

static void charge_tangent(sal_jump *jump, sal_tangent *tangent)
{
    const int lanes = tangent->lanes, count = jump->system->nc * lanes;
    if (!jump->has_charge) return;
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
    sal_picks_tangent(jump->before, reset, du, lanes);
    if (jump->set_needs_a) sal_field_tangent(jump->before, du, lanes, NULL);
    for (int i = 0; i <= jump->shares; i++)
        assigned_tangent(jump, &reset_at(jump, i)->before, du, lanes);
    copy(jump, lanes, du, SAL_LEAF_V_LAW, du, SAL_LEAF_V_AFTER);
    if (jump->law == SAL_LAW_IMPACT) impact_tangent(jump, du, lanes);
    if (jump->law == SAL_LAW_GIVEN) given_tangent(jump, du, lanes);
    if (reset->has_late) assigned_tangent(jump, &reset->late, du, lanes);
    charge_tangent(jump, tangent);
    sal_copy(tangent->dx, at(jump, du, lanes, SAL_LEAF_Q_AFTER), 2 * system->n * lanes);
    copy(jump, lanes, du, SAL_LEAF_C, du, SAL_LEAF_C_AFTER);
}

/* ---- adjoint -------------------------------------------------------------------------------- */

/* Moves what one kind has on to another one of the same size. */
static void move(const sal_jump *jump, int lanes, double *to, int kind, double *from, int from_kind)
{
    double   *sum = at(jump, to, lanes, kind), *part = at(jump, from, lanes, from_kind);
    const int count = count_of(jump, kind, lanes);
    for (int i = 0; i < count; i++) sum[i] += part[i];
    sal_zero(part, count);
}

/* Adds what the field after gained to the adjoint of the state after the event. */
static void leave_adjoint(sal_jump *jump, double *u_bar, int lanes)
{
    for (int k = 0; k < STATE_KINDS; k++)
        move(jump, lanes, u_bar, after_kind[k], jump->du_after, own_kind[k]);
}

static void clear_after(sal_jump *jump, int lanes)
{
    sal_zero(jump->du_after, jump->system->layout.size * lanes);
}

/* a+ and mu+ are functions of the state after: their adjoint goes there. */
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

/* Assigned quantities pass their adjoint, gathered by take_outputs, on to what they depend on. */
static void assigned_adjoint(sal_jump *jump, const sal_assigned *assigned, double *u_bar, int lanes,
                             double *out)
{
    if (assigned->count > 0)
        sal_map_adjoint(&assigned->map, jump->before->u, out, lanes, u_bar, jump->before->work);
}

static void take_outputs(const sal_jump *jump, const sal_assigned *assigned, double *u_bar,
                         int lanes, int velocity, double *out)
{
    for (int i = 0; i < assigned->count; i++) {
        double *place = place_after(jump, u_bar, lanes, assigned->output[i], velocity);
        sal_copy(out + i * lanes, place, lanes);
        sal_zero(place, lanes);
    }
}

/* K (y, ...) = (v+_bar, impulses' bars); then everything the law is made of gains -G_u^T y. */
static void impact_adjoint(sal_jump *jump, double *u_bar, int lanes)
{
    const saltus_system *system = jump->system;
    const int            n = system->n, nx = system->nx, size = law_size(jump);
    double              *y = SCRATCH_NEW(jump->scratch, (nx + 1) * lanes, double);
    sal_copy(y, at(jump, u_bar, lanes, SAL_LEAF_V_AFTER), n * lanes);
    sal_copy(y + n * lanes, at(jump, u_bar, lanes, SAL_LEAF_IMPULSE_MU), system->nmu * lanes);
    if (size > nx) sal_copy(y + nx * lanes, at(jump, u_bar, lanes, SAL_LEAF_IMPULSE), lanes);
    solve_law(jump, true, y, lanes);
    for (int i = 0; i < size * lanes; i++) y[i] = -y[i];
    sal_map_adjoint(&jump->collides->regime->momentum, jump->before->u, y, lanes, u_bar,
                    jump->before->work);
    if (size > nx) {
        double *contact = SCRATCH_NEW(jump->scratch, (n + 1) * lanes, double);
        sal_copy(contact, y, n * lanes);
        sal_copy(contact + n * lanes, y + nx * lanes, lanes);
        sal_map_adjoint(&jump->event->reset.contact, jump->before->u, contact, lanes, u_bar,
                        jump->before->work);
    }
    sal_scratch_release(jump->scratch, y);
    zero(jump, u_bar, lanes, SAL_LEAF_V_AFTER); /* the unknowns themselves */
    zero(jump, u_bar, lanes, SAL_LEAF_IMPULSE_MU);
    zero(jump, u_bar, lanes, SAL_LEAF_IMPULSE);
}

/* v_bar of the independent ones is that of v*. */
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

/* a and mu before the event are functions of the state: their adjoint goes there. */
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
    if (!jump->has_charge) return;
    sal_jump_charge_slopes(jump, adjoint->z_bar, lanes, adjoint->u_bar);
    if (jump->charge_needs_a_after) reaction_adjoint(jump, adjoint->u_bar, lanes);
    if (jump->charge_needs_a_before) before_adjoint(jump, adjoint->u_bar, lanes);
}

/* The adjoint of the state after the event goes to its places, all others are zero. */
static void begin_adjoint(const sal_jump *jump, const sal_adjoint *adjoint)
{
    const saltus_system *system = jump->system;
    const int            lanes = adjoint->lanes;
    double              *bar = adjoint->u_bar;
    sal_copy(at(jump, bar, lanes, SAL_LEAF_Q_AFTER), adjoint->x_bar, 2 * system->n * lanes);
    copy(jump, lanes, bar, SAL_LEAF_C_AFTER, bar, SAL_LEAF_C);
    sal_zero(bar, system->layout.at[SAL_LEAF_P] * lanes); /* t to c */
    zero(jump, bar, lanes, SAL_LEAF_V_LAW);
    if (jump->law != SAL_LAW_IMPACT && !jump->has_charge) return;
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
    if (reset->has_late) {
        take_outputs(jump, &reset->late, bar, lanes, SAL_LEAF_V_AFTER, out);
        assigned_adjoint(jump, &reset->late, bar, lanes, out);
    }
    if (jump->law == SAL_LAW_IMPACT) impact_adjoint(jump, bar, lanes);
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
    if (jump->set_needs_a) before_adjoint(jump, bar, lanes);
    sal_picks_adjoint(jump->before, reset, bar, lanes);
    sal_scratch_release(jump->scratch, out);

    sal_copy(adjoint->x_bar, at(jump, bar, lanes, SAL_LEAF_Q), n2 * lanes);
    for (int l = 0; l < lanes; l++) adjoint->t_bar[l] += at(jump, bar, lanes, SAL_LEAF_T)[l];
    sal_zero(at(jump, bar, lanes, SAL_LEAF_C) + system->nm_user * lanes, system->kinks * lanes);
}
