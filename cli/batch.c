/* Several models on one command line: each is a call of its own, whose output is kept until those
 * before it have been written. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdlib.h>

#include <jansson.h>

#include "options.h"
#include "pool.h"
#include "text.h"

typedef struct call {
    cli_arguments arguments; /* with one model, and the streams below */
    char         *out, *err;
    size_t        out_size, err_size;
    int           status, done;
} call;

typedef struct calls {
    call           *call;
    int             count;
    int             written; /* calls that have been written */
    pthread_mutex_t lock;    /* of `written` and of the streams */
} calls;

static int ends_blank(const call *c)
{
    return c->out_size < 2 || (c->out[c->out_size - 1] == '\n' && c->out[c->out_size - 2] == '\n');
}

/* Writes all that is done and has nothing undone before it. */
static void write_done(calls *all, call *finished)
{
    pthread_mutex_lock(&all->lock);
    finished->done = 1;
    while (all->written < all->count && all->call[all->written].done) {
        const call *c = &all->call[all->written];
        if (all->written > 0 && c->out_size && !c->arguments.json && !ends_blank(c - 1))
            fputc('\n', stdout);
        fwrite(c->out, 1, c->out_size, stdout);
        cli_flush();
        fwrite(c->err, 1, c->err_size, stderr);
        all->written++;
    }
    pthread_mutex_unlock(&all->lock);
}

static void do_one(void *context, int worker, int index)
{
    calls *all = context;
    call  *c = &all->call[index];
    (void)worker;
    c->arguments.out = cli_memory_open(&c->out, &c->out_size);
    c->arguments.err = cli_memory_open(&c->err, &c->err_size);
    c->status = c->arguments.command->function(&c->arguments);
    cli_memory_close(c->arguments.out, &c->out);
    cli_memory_close(c->arguments.err, &c->err);
    write_done(all, c);
}

int cli_batch_run(const cli_arguments *arguments)
{
    const int count = arguments->model_count;
    calls     all = {.count = count};
    int       status = 0;
    json_decref(json_object()); /* what JSON objects share is made before there are threads */
    pthread_mutex_init(&all.lock, NULL);
    all.call = cli_alloc((size_t)count, sizeof *all.call);
    for (int i = 0; i < count; i++) {
        cli_arguments *a = &all.call[i].arguments;
        *a = *arguments;
        a->model = arguments->models[i];
        a->threads = arguments->threads > count ? arguments->threads / count : 1;
    }
    cli_pool_run(arguments->threads, count, do_one, &all);
    for (int i = 0; i < count; i++) {
        if (all.call[i].status > status) status = all.call[i].status;
        free(all.call[i].out);
        free(all.call[i].err);
    }
    free(all.call);
    pthread_mutex_destroy(&all.lock);
    return status;
}
