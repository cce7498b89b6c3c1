/* Saltus: simulation of mechanisms whose motion jumps, with exact derivatives of their costs.
 * Include this header: it includes all others.
 *
 *     script or C calls -> saltus_model -> saltus_system -> saltus_run -> gradient
 *
 * Wrong arguments are reported: a missing object or list, an index out of range, an enumerator that
 * does not exist. A call that returns a status then fails with SALTUS_ERR_ARGUMENT, and one that
 * makes an object returns NULL, both with a message. Builders note the mistake in the model; if the
 * model itself is NULL, they do nothing. Other calls return 0, NaN, -1 for an index, or "" for a
 * text (NULL only where it has a meaning).
 *
 * Lifetimes: a system, a fit and a search for periodic motions do not need the model from which
 * they were made, which may be freed first. Runs, drawings, searches for equilibria and optima
 * borrow their system, which is freed after them. What is said to be borrowed lives as long as the
 * object that handed it out, unless its comment says less. All functions that free accept NULL.
 *
 * The name of the shared library ends with the major and the minor version (libsaltus.so.0.1):
 * within one such version, structs keep their size and functions their arguments. saltus_options
 * contains its own size, so that options filled in by another version are refused.
 *
 * Settings of the calling program do not affect results: during a call, the thread's locale is "C",
 * numbers are rounded to nearest, and floating-point exceptions do not trap. The program's settings
 * are restored before the call returns. Callbacks (options.progress, rows, print, allocators) run
 * with the settings of the call. Afterwards, flags of floating-point exceptions may be set, except
 * in a program with traps or another rounding mode: its flags are restored too. */
#ifndef SALTUS_SALTUS_H
#define SALTUS_SALTUS_H

#define SALTUS_VERSION_MAJOR 0
#define SALTUS_VERSION_MINOR 1
#define SALTUS_VERSION_PATCH 0

#include "saltus/answer.h"
#include "saltus/draw.h"
#include "saltus/expr.h"
#include "saltus/model.h"
#include "saltus/script.h"
#include "saltus/sim.h"
#include "saltus/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the version of the library in use, e.g. "0.1.0". */
SALTUS_API const char *saltus_version(void);

#ifdef __cplusplus
}
#endif
#endif
