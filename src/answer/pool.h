/* Work shared by several threads. */
#ifndef SAL_ANSWER_POOL_H
#define SAL_ANSWER_POOL_H

/* Calls work(context, worker, index) for every index below count, in their order as far as they are
 * begun, by up to `threads` threads; worker, below threads, is the one that calls. Returns when all
 * is done. With one thread, or if no other can be started, the calling one does it all. */
void sal_pool_run(int threads, int count, void (*work)(void *context, int worker, int index),
                  void *context);

enum { SAL_POOL_THREADS = 64 }; /* at most */

#endif
