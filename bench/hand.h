/* The five-bar by hand: what one specialised program computes (hand.c). States are ordered so that
 * the two legs, A-1-2 and B-3-2, lie side by side: x1 x3 y1 y3 x2 y2, then their velocities. */
#ifndef BENCH_HAND_H
#define BENCH_HAND_H

enum { HAND_STATES = 12, HAND_PARAMS = 4 }; /* L01, L02, k1, k2 */

typedef double hand_pair __attribute__((vector_size(16), aligned(8)));

/* What derivatives need of one evaluation, for both legs: the inverse of r x s, multipliers,
 * accelerations, inverse lengths of the springs; and the inverse of the 2 x 2 matrix of point 2. */
typedef struct hand_record {
    hand_pair inverse, mu_r, mu_s, ax, ay, spring;
    double    xx, xy, yy, a2x, a2y;
} hand_record;

extern const double hand_params[HAND_PARAMS];

/* f = (v, a); return the integrand a_y2^2 + v_y2^2. */
double hand_field(const double *x, const double *p, double *f);
double hand_field_record(const double *x, const double *p, double *f, hand_record *record);
/* df in the direction (dx, dp); returns that of the integrand. */
double hand_tangent(const double *x, const double *p, const hand_record *record, const double *dx,
                    const double *dp, double *df);
/* x_bar is overwritten, p_bar added to. */
void hand_adjoint(const double *x, const double *p, const hand_record *record, const double *f_bar,
                  double g_bar, double *x_bar, double *p_bar);

void hand_start(double *x);
void hand_jump(const double *x, double *x_plus);
/* R_x dx; the adjoint R_x^T plus_bar. */
void hand_jump_tangent(const double *x, const double *dx, double *dx_plus);
void hand_jump_adjoint(const double *x, const double *plus_bar, double *x_bar);

#endif
