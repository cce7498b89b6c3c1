/* The field of one regime: accelerations and integrands at a state, with their tangent and adjoint.
 *
 *     value     K a = -E(a = 0),                       g = g(t, q, v, a, c, rho)
 *     tangent   K da = -(E_t dt + E_q dq + ...),       dg = g_u du + g_a da
 *     adjoint   K y = a_bar + g_a^T g_bar,             u_bar += g_u^T g_bar - E_u^T y
 *
 * The uniform vector u holds the state; c and rho stay in it between calls. One factorisation of K
 * serves all three; it lives where `factor` points, so that a step can keep one per stage. */
#ifndef SAL_MOTION_FIELD_H
#define SAL_MOTION_FIELD_H

#include "compile/system.h"
#include "motion/fast/vector_sums.h"

typedef enum sal_field_result {
    SAL_FIELD_OK,
    SAL_FIELD_SINGULAR,
    SAL_FIELD_NOT_FINITE,
    SAL_FIELD_MEMORY
} sal_field_result;

/* Constraints that follow from the others, by regime: see redundancy.h. */
typedef struct sal_redundancy sal_redundancy;

typedef struct sal_field {
    const saltus_system   *system;
    const sal_vector_sums *sums;
    const sal_regime      *regime;
    const sal_redundancy  *redundancy; /* of the run, may be NULL */
    const unsigned char   *skip;       /* by constraint: redundant in this regime; NULL: none */
    bool                   soft;       /* constraints give way (penalty): redundant ones may stay */
    bool                   factored_only; /* solved kernels (solved.h) are not used */
    const sal_solved      *solved;        /* those kernels, or NULL */
    bool                   starved;       /* there is none for want of memory */
    bool                   prepared;      /* their run constants are in u */
    double                *u;             /* layout.values */
    double                *row;           /* that of evaluations that are no stages */
    const double          *state;         /* the row of the last evaluation */
    sal_factor            *factor;        /* of K */
    sal_factor             own, law;      /* where it is at first, and that of impacts */
    sal_factor       mass_constant; /* of a matrix that does not change, made once per regime: */
    bool             factored;      /* it is there, */
    bool             unit;          /* and is that of masses of one */
    double          *x;             /* unknowns in lanes */
    double          *scratch;       /* of factorisations and solves */
    double          *out;           /* matrix and right-hand side */
    double          *lanes;         /* (n + costs) * lanes */
    double          *kept;          /* of an adjoint: t, q, v in lanes */
    int              max_lanes;
    double          *work; /* of kernels */
    int              work_slots;
    saltus_allocator allocator;
    int              bad_pivot; /* of the last SAL_FIELD_SINGULAR */
    int              bad_cost;  /* of the last SAL_FIELD_NOT_FINITE: the cost, or -1, */
    int              bad_force; /* or the coordinate, or -1 */
    double           bad_value;
    long long        evaluations;
} sal_field;

saltus_status sal_field_init(sal_field *field, const saltus_system *system, sal_arena *arena,
                             int max_lanes, saltus_error *err);
void          sal_field_release(sal_field *field);

/* Makes sure that work is large enough for all kernels with so many slots. */
saltus_status sal_field_reserve(sal_field *field, int slots, saltus_error *err);
saltus_status sal_field_enter(sal_field *field, const sal_regime *regime, saltus_error *err);
/* The same, where the work is known to be large enough. */
void sal_field_switch(sal_field *field, const sal_regime *regime);

/* Which terms of constraints are not zero (virtual_power.h), by the numbers of the formulation in
 * u. */
unsigned sal_field_terms(const sal_field *field);

/* The place of a kind of leaf in u. */
static inline double *sal_u(const sal_field *field, int kind)
{
    return field->u + field->system->layout.at[kind];
}

/* Evaluates at (t, x = (q, v)): writes k = (v, a) and, if not NULL, g; leaves t, q, v, a in u and
 * the factorisation of K in factor. */
sal_field_result sal_field_eval(sal_field *field, double t, const double *x, double *k, double *g);

/* Only puts t, q, v into u: for maps without accelerations and multipliers. */
void sal_field_put(sal_field *field, double t, const double *x);

/* The same as evaluating, for a row of numbers that begins like u: reads q, v, writes t, a, mu, and
 * behind those g and what kernels leave (sal_solved_row) for tangents and adjoints at this row. */
sal_field_result sal_field_stage(sal_field *field, double t, double *row);
/* The same where the matrix does not change, and nothing is read but t and q, which are in `state`.
 */
sal_field_result sal_field_stage_at(sal_field *field, double t, double *state, double *row);
/* Numbers of a row that evaluations in this regime may fill, of so many. */
int sal_field_row(const sal_field *field, int size);
/* The compiled code of evaluations along the motion; NULL: there is none. */
sal_code sal_field_code(sal_field *field);
/* The compiled code of tangents, and of value and tangent in one kernel (solved.h), for at most
 * SAL_SMALL_LANES lanes. False: there is none. */
bool sal_field_along_codes(sal_field *field, int lanes, sal_code code[2]);
/* Goes back to a row that was evaluated, whose factorisation is in factor. */
void sal_field_restore(sal_field *field, double *row);

/* At the state of the last evaluation: du has t, q, v, c, rho in lanes; writes its a, and dg if not
 * NULL (costs * lanes). */
void sal_field_tangent(sal_field *field, double *du, int lanes, double *dg);

/* a_bar (n * lanes) is overwritten by y, of which x has all, also the part for multipliers; adds to
 * u_bar at t, q, v, c, rho. The entries of u_bar at a are used and left at zero. g_bar may be NULL.
 */
void sal_field_adjoint(sal_field *field, double *a_bar, const double *g_bar, int lanes,
                       double *u_bar);

/* For rows. out: da, room for dmu, dg in lanes. */
void sal_field_stage_tangent(sal_field *field, double *du, int lanes, double *out);
/* in: a_bar, zeros for mu, g_bar in lanes; writes u_bar at t, q, v, adds to it
 * at c, rho; what is then at a and mu is of no use. */
void sal_field_stage_adjoint(sal_field *field, double *in, int lanes, double *u_bar);

/* Factors a matrix that does not change, if that has not been done: before tangents and adjoints at
 * rows that are not evaluated again. */
sal_field_result sal_field_factor_constant_mass(sal_field *field);
/* The same for large models (nystrom.h): what is never added to in a mode is not cleared, either.
 */
void sal_field_nystrom_adjoint(sal_field *field, double *in, int lanes, double *u_bar);
/* And for one lane where field->lanes has been divided by the matrix, with the other sign; added
 * to u_bar. */
void sal_field_divided_adjoint(sal_field *field, const double *g_bar, double *u_bar);

/* The entries of the matrix at u, as regime->shape has them; borrowed until the next evaluation. */
const double *sal_field_matrix(sal_field *field);

/* The gradients of constraints among them, as regime->phi_q has them; NULL: it has not. */
const double *sal_field_phi_q(sal_field *field);

/* The largest |dPhi/dq| of a constraint, from these entries: what its value is measured by,
 * together with a length. */
double sal_field_slope(const sal_field *field, const double *entries, int constraint);

/* Factors the matrix of impacts at u, [M Phi_q^T; Phi_q 0], whatever softens the constraints along
 * the motion; its entries are then those of sal_field_matrix. */
sal_field_result sal_field_factor_law(sal_field *field);
/* Solves with it in place, B in lanes. */
void sal_field_solve_law(const sal_field *field, double *B, int lanes);

/* How far the constraints are from depending on each other at t, q in u: see sal_factor_judge. The
 * factorisation in factor is lost. */
double sal_field_apart(sal_field *field);

/* Lets go of redundant constraints: their rows of a residual or right-hand side, in lanes. */
void sal_field_mask(const sal_field *field, double *rows, int lanes);

#endif
