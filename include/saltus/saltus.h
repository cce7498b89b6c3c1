/* Saltus: simulation of mechanisms whose motion jumps, and exact derivatives of what is measured
 * on them. Include this header; it brings all others.
 *
 *     script or C calls -> saltus_model -> saltus_system -> saltus_run -> gradient
 *
 * Wrong arguments are reported: a missing object or list, an index out of range, an enumerator that
 * does not exist. A call that returns a status then fails with SALTUS_ERR_ARGUMENT, and one that
 * makes an object returns NULL, both with a message. Builders note the mistake in the model;
 * without a model they do nothing. Other calls return 0, NaN, -1 for an index, or "" for a text
 * (NULL only where it has a meaning).
 *
 * The name of the shared library ends with the major and the minor version (libsaltus.so.0.1):
 * within these, structs keep their size and functions their arguments. saltus_options carries its
 * size, so that one that was not filled in by this version is refused.
 *
 * What the calling program has set for itself changes no digit and no text: while a call works, the
 * thread's locale is "C", numbers are rounded to nearest, and floating-point exceptions do not
 * trap. All that is put back before the call returns. Functions of the caller that are called
 * meanwhile (options.progress, rows, print, allocators) find it as the call has it. Flags of
 * floating-point exceptions may be set afterwards, unless the program traps or rounds otherwise.
 */
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

/* The version of the library in use, e.g. "0.1.0". */
SALTUS_API const char *saltus_version(void);

#ifdef __cplusplus
}
#endif
#endif
