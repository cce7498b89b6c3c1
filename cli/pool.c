/* Work shared by several threads. */
#define _POSIX_C_SOURCE 200809L
#include "pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "text.h"

typedef struct pool {
    void (*work)(void *context, int worker, int index);
    void      *context;
    int        count;
    atomic_int next;
} pool;

typedef struct worker {
    pool     *pool;
    int       number;
    pthread_t thread;
    int       started;
} worker;

static void *run_worker(void *context)
{
    worker *w = context;
    for (int i = atomic_fetch_add(&w->pool->next, 1); i < w->pool->count;
         i = atomic_fetch_add(&w->pool->next, 1))
        w->pool->work(w->pool->context, w->number, i);
    return NULL;
}

void cli_pool_run(int threads, int count, void (*work)(void *context, int worker, int index),
                  void *context)
{
    pool p = {.work = work, .context = context, .count = count};
    if (threads > count) threads = count;
    if (threads < 1) threads = 1;
    CLI_OWNED worker *workers = cli_alloc((size_t)threads, sizeof *workers);
    for (int i = 0; i < threads; i++) workers[i] = (worker){.pool = &p, .number = i};
    for (int i = 1; i < threads; i++)
        workers[i].started = pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]) == 0;
    run_worker(&workers[0]);
    for (int i = 1; i < threads; i++)
        if (workers[i].started) pthread_join(workers[i].thread, NULL);
}

int cli_pool_cores(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > 1024 ? 1024 : (int)cores;
}
