/* The field of one regime: accelerations and integrands at a state, with their tangent and adjoint.
 *
 *     value     K a = -E(a = 0),                       g = g(t, q, v, a, c, rho)
 *     tangent   K da = -(E_t dt + E_q dq + ...),       dg = g_u du + g_a da
 *     adjoint   K^T y = a_bar + g_a^T g_bar,             u_bar += g_u^T g_bar - E_u^T y
 *
 * The value is sensitivities.md (1), the tangent sensitivities.md (4) and (5), with the time as one
 * more argument. The adjoint is sensitivities.md (7), with a_bar for lambda_v, and the right-hand
 * sides of sensitivities.md (8) to (11) with the other sign. In a stage it is steps.md (13) and
 * (14).
 *
 * The uniform vector u holds the state; c and rho stay in it between calls. All three use one
 * factorisation of K, stored where `factor` points, so that a step can keep one per stage. */
#ifndef SAL_MOTION_FIELD_H
#define SAL_MOTION_FIELD_H

#include "compile/system.h"
#include "motion/sums.h"

typedef enum sal_field_result {
    SAL_FIELD_OK,
    SAL_FIELD_SINGULAR,
    SAL_FIELD_NOT_FINITE,
    SAL_FIELD_MEMORY
} sal_field_result;

/* Constraints that follow from the others, by regime: see redundancy.h. */
typedef struct sal_redundancy sal_redundancy;

typedef struct sal_field {
    const saltus_system  *system;
    const sal_sums       *sums;
    const sal_regime     *regime;
    const sal_redundancy *redundancy;     /* owned by the run; NULL: none */
    const unsigned char  *skip;           /* by constraint: redundant in this regime; NULL: none */
    const int            *join;           /* by event: see redundancy.h; NULL: none */
    bool                  soft;           /* constraints are penalties: redundant ones do no harm */
    const sal_solved     *solved;         /* kernels of the regime (compile/solved.h), or NULL */
    bool                  out_of_memory;  /* solved kernels are missing because memory ran out */
    bool                  prepared;       /* the run constants of solved kernels are in u */
    double               *u;              /* layout.values */
    double               *row;            /* the row of evaluations that are no stages */
    const double         *state;          /* the row of the last evaluation */
    sal_factor           *factor;         /* the factorisation of K at the last evaluation */
    sal_factor            own;            /* where factor points unless a stage has its own */
    sal_factor            law;            /* the factorisation of the matrix of impacts */
    sal_factor            mass_constant;  /* the factorisation of a constant mass matrix */
    bool                  factored;       /* mass_constant was computed for this regime */
    double               *solution;       /* unknowns (a, mu) in lanes */
    double               *scratch;        /* scratch of factorisations and solves */
    double               *matrix_and_rhs; /* matrix and right-hand side */
    double          *kernel_io; /* inputs or outputs of a kernel: (unknowns + nc) * max_lanes */
    double          *kept;      /* t, q, v of an adjoint in lanes, while it is computed */
    int              max_lanes;
    double          *work; /* work memory of kernels */
    int              work_slots;
    saltus_allocator allocator;
    int              bad_pivot; /* row of K at which the last SAL_FIELD_SINGULAR failed */
    int              bad_cost;  /* cost of the last SAL_FIELD_NOT_FINITE, or -1 */
    int              bad_force; /* row of the forces of the last SAL_FIELD_NOT_FINITE, or -1 */
    double           bad_value; /* value that was not finite */
    long long        evaluations;
} sal_field;

saltus_status sal_field_init(sal_field *field, const saltus_system *system, sal_arena *arena,
                             int max_lanes, saltus_error *err);
void          sal_field_release(sal_field *field);

/* Allocates a factorisation of a matrix of the system with this size; 0: without memory for values,
 * for systems whose mass matrix is constant. */
bool sal_field_init_factor(sal_factor *factor, const saltus_system *system, int size,
                           sal_arena *arena);

/* Makes the work memory large enough for kernels with this many slots. */
saltus_status sal_field_reserve(sal_field *field, int slots, saltus_error *err);
/* Enters a regime; compiles its solved kernels if that was not done yet. */
saltus_status sal_field_enter(sal_field *field, const sal_regime *regime, saltus_error *err);
/* Enters a regime that was entered before, so that nothing needs to be allocated. */
void sal_field_switch(sal_field *field, const sal_regime *regime);
/* Leaves the regime, so that it is entered anew before the next evaluation. */
static inline void sal_field_leave(sal_field *field) { field->regime = NULL; }

/* The place of a kind of leaf in u. */
static inline double *sal_u(const sal_field *field, int kind)
{
    return field->u + field->system->layout.at[kind];
}

/* Evaluates at (t, x = (q, v)): writes k = (v, a) and, if not NULL, g; leaves t, q, v, a, mu in u
 * and the factorisation of K in factor. */
sal_field_result sal_field_eval(sal_field *field, double t, const double *x, double *k, double *g);

/* Only writes t, q, v to u: enough for maps without accelerations and multipliers. */
void sal_field_put(sal_field *field, double t, const double *x);

/* Evaluates at a row of numbers that begins like u: reads q, v, writes t, a, mu, then g and what
 * solved kernels monitor (sal_solved_row). */
sal_field_result sal_field_stage(sal_field *field, double t, double *row);
/* Evaluates in a regime with a constant mass matrix whose kernels read only t and q: takes q from
 * `state`, writes t there, and the results to `row`. */
sal_field_result sal_field_stage_at(sal_field *field, double t, double *state, double *row);
/* Returns how many of the `size` numbers of a row evaluations in this regime may write. */
int sal_field_row_length(const sal_field *field, int size);
/* Computes the run constants of solved kernels at the first evaluation: parameters may be set after
 * the regime is entered. */
void sal_field_prepare(sal_field *field);
/* Returns to a row that was evaluated, whose factorisation is in factor. */
void sal_field_restore(sal_field *field, double *row);

/* The tangent at the state of the last evaluation: du has t, q, v, c, rho in lanes; writes its a,
 * and dg if not NULL (costs * lanes). */
void sal_field_tangent(sal_field *field, double *du, int lanes, double *dg);

/* The adjoint at the state of the last evaluation: overwrites a_bar (n * lanes) by y, leaves y with
 * its part for multipliers in field->solution, and adds to u_bar at t, q, v, c, rho. The entries of
 * u_bar at a and mu are added to the input and set to zero. g_bar may be NULL. */
void sal_field_adjoint(sal_field *field, double *a_bar, const double *g_bar, int lanes,
                       double *u_bar);

/* The tangent of a stage. out: da, room for dmu, dg in lanes. */
void sal_field_stage_tangent(sal_field *field, double *du, int lanes, double *out);
/* The adjoint of a stage. in: a_bar, room for mu_bar, g_bar in lanes. Writes u_bar at t, q, v and
 * adds to it at c, rho; its entries at a and mu are meaningless afterwards. */
void sal_field_stage_adjoint(sal_field *field, double *in, int lanes, double *u_bar);

/* Factors a constant mass matrix if that was not done yet. Call it before tangents and adjoints at
 * rows from the record, which are not evaluated again. */
sal_field_result sal_field_factor_constant_mass(sal_field *field);
/* Adds to u_bar the adjoint of a stage with a matrix that does not change. */
void sal_field_add_stage_adjoint(sal_field *field, const double *in, int lanes, double *u_bar);
/* Adds to u_bar the adjoint of the integrands. */
void sal_field_integrands_adjoint(sal_field *field, const double *g_bar, int lanes, double *u_bar);

/* Evaluates the matrix at u. Its entries are in the order of regime->shape and borrowed until the
 * next evaluation. */
const double *sal_field_matrix(sal_field *field);

/* Evaluates the gradients of constraints at u, in the order of regime->phi_q; NULL: this regime has
 * no such kernel. */
const double *sal_field_phi_q(sal_field *field);

/* The largest |dPhi/dq| of a constraint, from the entries of the matrix. Times a length, it is the
 * scale of the constraint's value. */
double sal_field_slope(const sal_field *field, const double *entries, int constraint);

/* Factors the matrix of impacts at u, [M Phi_q^T; Phi_q 0], also if constraints are penalties along
 * the motion. */
sal_field_result sal_field_factor_law(sal_field *field);
/* Solves with the matrix of impacts, or its transpose, in place; B in lanes. */
void sal_field_solve_law(const sal_field *field, bool transposed, double *B, int lanes);

/* Measures how independent the constraints are at t, q in u: the smallest value of
 * sal_factor_judge, 1 without constraints. The factorisation in factor is lost. */
double sal_field_independence(sal_field *field);

/* Sets the rows of redundant constraints in a residual or right-hand side, in lanes, to zero. */
void sal_field_mask(const sal_field *field, double *rows, int lanes);

#endif
