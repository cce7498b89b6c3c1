/* Work shared by several threads. */
#ifndef CLI_POOL_H
#define CLI_POOL_H

/* Calls work(context, worker, index) for every index below count, in their order as far as they are
 * begun, by up to `threads` threads; worker, below threads, is the one that calls. Returns when all
 * is done. With one thread, or if no other can be started, the calling one does it all. */
void cli_pool_run(int threads, int count, void (*work)(void *context, int worker, int index),
                  void *context);

/* The number of processors. */
int cli_pool_cores(void);

#endif
