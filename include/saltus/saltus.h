/* Saltus: simulation of mechanisms whose motion jumps, and exact derivatives of what is measured
 * on them. Include this header; it brings all others.
 *
 *     script or C calls -> saltus_model -> saltus_system -> saltus_run -> gradient
 */
#ifndef SALTUS_SALTUS_H
#define SALTUS_SALTUS_H

#define SALTUS_VERSION_MAJOR 0
#define SALTUS_VERSION_MINOR 1
#define SALTUS_VERSION_PATCH 0

#include "saltus/draw.h"
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
