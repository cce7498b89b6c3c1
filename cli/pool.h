/* Work shared by several threads. */
#ifndef CLI_POOL_H
#define CLI_POOL_H

/* Calls work(context, worker, index) for every index below count, on up to `threads` threads; calls
 * begin in the order of indices. worker is the number of the calling thread, below threads. Returns
 * when all calls are done. If no thread can be started, the calling one makes all calls. */
void cli_pool_run(int threads, int count, void (*work)(void *context, int worker, int index),
                  void *context);

/* The number of processors. */
int cli_pool_cores(void);

#endif
