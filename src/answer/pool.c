#include "answer/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/host.h"

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
    bool      is_started;
} worker;

static void *run_worker(void *context)
{
    HOLD_HOST;
    worker *w = context;
    for (int i = atomic_fetch_add(&w->pool->next, 1); i < w->pool->count;
         i = atomic_fetch_add(&w->pool->next, 1))
        w->pool->work(w->pool->context, w->number, i);
    return NULL;
}

void sal_pool_run(int threads, int count, void (*work)(void *context, int worker, int index),
                  void *context)
{
    pool   p = {.work = work, .context = context, .count = count};
    worker workers[SAL_POOL_THREADS];
    if (threads > count) threads = count;
    if (threads > SAL_POOL_THREADS) threads = SAL_POOL_THREADS;
    if (threads < 1) threads = 1;
    for (int i = 0; i < threads; i++) workers[i] = (worker){.pool = &p, .number = i};
    for (int i = 1; i < threads; i++)
        workers[i].is_started =
            pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]) == 0;
    run_worker(&workers[0]);
    for (int i = 1; i < threads; i++)
        if (workers[i].is_started) pthread_join(workers[i].thread, NULL);
}
