/* What the two halves of `saltus periodic` share. */
#ifndef CLI_PERIODIC_H
#define CLI_PERIODIC_H

#include "json_result.h"
#include "session.h"

typedef struct cli_orbit {
    cli_session                   session;
    saltus_periodic              *periodic;
    const saltus_periodic_result *result;
} cli_orbit;

/* The name of a parameter of the system. */
const char *cli_orbit_param(const cli_orbit *orbit, int param);
/* {start parameter: x} of the values of all parameters. */
json_t *cli_orbit_point_json(const cli_orbit *orbit, const double *params);
/* The failure of a search that found nothing; nothing if it did. */
void cli_orbit_fail(cli_orbit *orbit);

/* saltus periodic --along: follows the motion while a parameter changes. */
void cli_orbit_follow(cli_orbit *orbit);

#endif
