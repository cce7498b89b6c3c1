/* Jobs of the library that the processes of the team share. */
#include "share.h"

#include <sha256.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "deal.h"
#include "json_result.h"
#include "team.h"
#include "text.h"

typedef struct sharer {
    const saltus_job *job;
    int               next;
    cli_packet       *result; /* process 0: results by index */
} sharer;

static int next_piece(void *context, cli_packet *piece)
{
    sharer *s = context;
    if (s->next >= s->job->count) return 0;
    cli_packet_put_int(piece, s->next++);
    return 1;
}

static void put_result(const saltus_job *job, int index, cli_packet *result)
{
    const size_t    size = job->size(job->context, index);
    CLI_OWNED char *bytes = cli_bytes(size + 1);
    job->save(job->context, index, bytes);
    cli_packet_put_int(result, index);
    cli_packet_put(result, bytes, size);
}

static int perform(void *context, int worker, cli_packet *piece, cli_packet *result,
                   saltus_error *err)
{
    const saltus_job *job = ((sharer *)context)->job;
    const int         index = cli_packet_get_int(piece);
    (void)err;
    job->perform(job->context, worker, index);
    put_result(job, index, result);
    return 1;
}

static int collect(void *context, cli_packet *results, int count)
{
    sharer *s = context;
    for (int i = 0; i < count; i++) {
        cli_packet *kept = &s->result[cli_packet_get_int(&results[i])];
        cli_packet_free(kept);
        *kept = results[i];
        kept->at = 0;
        results[i] = (cli_packet){0};
    }
    return 1;
}

/* Completes the results in process 0. After an interruption the missing jobs are begun, and end at
 * once. */
static void complete(sharer *s, cli_packet *all)
{
    for (int i = 0; i < s->job->count; i++) {
        if (!s->result[i].size) {
            s->job->perform(s->job->context, 0, i);
            put_result(s->job, i, &s->result[i]);
        }
        cli_packet_put_packet(all, &s->result[i]);
    }
}

static int load_all(const saltus_job *job, cli_packet *all)
{
    cli_packet one;
    int        ok = 1;
    for (int i = 0; i < job->count && ok; i++) {
        ok = cli_packet_get_packet(all, &one);
        const int index = cli_packet_get_int(&one);
        ok = ok && index == i &&
             job->load(job->context, index, one.data + one.at, one.size - one.at);
        cli_packet_free(&one);
    }
    return ok;
}

int cli_share(void *context, const saltus_job *job)
{
    cli_sharing *sharing = context;
    sharer       s = {.job = job};
    cli_packet   all = {0};
    s.result = cli_alloc((size_t)job->count + 1, sizeof *s.result);
    cli_deal deal = {.identity = sharing->identity,
                     .threads = job->threads,
                     .context = &s,
                     .next = next_piece,
                     .perform = perform,
                     .collect = collect};
    cli_deal_run(&deal, &sharing->error);
    int ok = !sharing->error.status;
    if (ok && !cli_team_rank()) complete(&s, &all);
    ok = ok && cli_deal_spread(&all) && load_all(job, &all);
    for (int i = 0; i < job->count; i++) cli_packet_free(&s.result[i]);
    free(s.result);
    cli_packet_free(&all);
    return !ok;
}

static void hash_text(void *context, const char *text)
{
    SHA256Update(context, (const uint8_t *)text, strlen(text));
}

char *cli_model_hash(cli_session *s)
{
    char     text[SHA256_DIGEST_STRING_LENGTH];
    SHA2_CTX hash;
    SHA256Init(&hash);
    saltus_system_dump(s->system, "model", hash_text, &hash, &s->error);
    saltus_system_dump(s->system, "program", hash_text, &hash, &s->error);
    return cli_copy(SHA256End(&hash, text));
}

char *cli_session_identity(cli_session *s)
{
    json_t         *parameters = cli_result_parameters(s);
    CLI_OWNED char *values = json_dumps(parameters, JSON_REAL_PRECISION(17));
    if (!values) cli_out_of_memory();
    json_decref(parameters);
    return cli_append(cli_model_hash(s), " %s %s", saltus_version(), values);
}
