/* Student's distribution, for intervals of estimates. */
#ifndef SAL_SOLVE_STUDENT_H
#define SAL_SOLVE_STUDENT_H

/* The probability that |T| is at most t, for T with `freedom` degrees of freedom; 0 or INFINITY:
 * the normal distribution. */
double sal_student_within(double t, double freedom);
/* The t for which sal_student_within is `probability`, between 0 and 1. */
double sal_student_quantile(double probability, double freedom);

#endif
