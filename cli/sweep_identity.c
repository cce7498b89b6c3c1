/* What the results of a sweep depend on, besides the points: a database, and other processes, must
 * agree on it. */
#include <sha256.h>
#include <stdint.h>
#include <string.h>

#include "json_result.h"
#include "sweep.h"
#include "text.h"

static void hash_text(void *context, const char *text)
{
    SHA256Update(context, (const uint8_t *)text, strlen(text));
}

/* Of what the compiler sees: all files that the script reads are in it. */
static char *model_hash(cli_session *s)
{
    char     text[SHA256_DIGEST_STRING_LENGTH];
    SHA2_CTX hash;
    SHA256Init(&hash);
    saltus_system_dump(s->system, "model", hash_text, &hash, &s->error);
    saltus_system_dump(s->system, "program", hash_text, &hash, &s->error);
    return cli_copy(SHA256End(&hash, text));
}

static char *json_line(json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY);
    if (!text) cli_out_of_memory();
    json_decref(value);
    return text;
}

/* Those that can change digits. */
static char *options_text(const cli_sweep *sweep)
{
    const cli_session *s = &sweep->session;
    json_t            *options = json_copy(json_object_get(s->result, "options"));
    json_object_del(options, "backend");
    json_object_del(options, "seed"); /* the script's numbers are in the model */
    cli_json_add(options, "version:s gradients:b", saltus_version(), sweep->with_gradients);
    cli_json_add(options, "settings:j", json_incref(json_object_get(s->result, "settings")));
    if (sweep->with_gradients)
        cli_json_add(options, "method:s", saltus_method_name(s->arguments->method[0]));
    return json_line(options);
}

static char *values_text(const cli_sweep *sweep)
{
    json_t *values = cli_result_parameters(&sweep->session);
    for (int i = 0; i < sweep->plan.params; i++)
        json_object_del(values,
                        saltus_system_param(sweep->session.system, sweep->plan.param[i]).name);
    return json_line(values);
}

static char *names_text(const cli_sweep *sweep, int first, int last)
{
    return json_line(cli_json_texts(sweep->columns.name + first, last - first));
}

void cli_sweep_identify(cli_sweep *sweep)
{
    const cli_columns *c = &sweep->columns;
    const cli_identity about[CLI_IDENTITIES] = {
        {"script", "another script", cli_copy(sweep->session.sha256)},
        {"options", "other options or settings", options_text(sweep)},
        {"compiled", "other files that the script reads", model_hash(&sweep->session)},
        {"over", "other parameters to sweep over", names_text(sweep, 0, c->params)},
        {"values", "other values of the parameters that stay", values_text(sweep)},
        {"results", "other results", names_text(sweep, c->params, c->count)},
    };
    SHA2_CTX hash;
    SHA256Init(&hash);
    memcpy(sweep->identity, about, sizeof about);
    for (int i = 0; i < CLI_IDENTITIES; i++)
        SHA256Update(&hash, (const uint8_t *)about[i].text, strlen(about[i].text) + 1);
    SHA256End(&hash, sweep->identity_hash);
}
