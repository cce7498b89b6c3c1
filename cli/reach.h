/* Between which values of each parameter the events are those of this run. */
#ifndef CLI_REACH_H
#define CLI_REACH_H

#include "session.h"

/* By parameter asked for; NULL if it fails, which is then the session's error. The caller frees. */
saltus_trust *cli_reach_find(cli_session *session);
/* {parameter: {"lower", "upper", "ends": {"lower", "upper"}}}; null where there is no end. */
json_t *cli_reach_json(const cli_session *session, const saltus_trust *trust);
void    cli_reach_print(const cli_session *session, const saltus_trust *trust);

#endif
