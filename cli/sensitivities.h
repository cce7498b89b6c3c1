/* Sensitivities over time, for gradient -o. */
#ifndef CLI_SENSITIVITIES_H
#define CLI_SENSITIVITIES_H

#include "sheet.h"

/* Columns d(x)/d(p) of the state by the parameters asked for: coordinates, velocities, memories,
 * integrals of the costs asked for. */
int cli_tangents_read(cli_session *session, cli_sheet *sheet);
/* For each cost asked for, the columns d(cost)/d(x) of coordinates, velocities and memories,
 * d(cost)/d(p) of the parameters asked for (from that time on), and y(cost; x). */
int cli_adjoints_read(cli_session *session, cli_sheet *sheet);

#endif
