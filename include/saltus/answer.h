/* Answers that take many runs: an optimum, parameters that explain measurements, a motion that
 * repeats itself.
 *
 * Each call simulates and differentiates a system as often as it needs to, on runs of its own. */
#ifndef SALTUS_ANSWER_H
#define SALTUS_ANSWER_H

#include "saltus/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif
#endif
