/* How well estimates are known: see confidence.c. */
#ifndef SAL_ANSWER_CONFIDENCE_H
#define SAL_ANSWER_CONFIDENCE_H

#include "answer/fit.h"

/* Fills in the result from the derivatives J of all residuals by all estimates at the minimum. */
saltus_status sal_fit_confidence(saltus_fit *fit, const double *J, saltus_error *err);

#endif
