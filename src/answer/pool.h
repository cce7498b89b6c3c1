/* Work shared by several threads. */
#ifndef SAL_ANSWER_POOL_H
#define SAL_ANSWER_POOL_H

/* Calls work(context, worker, index) for every index below count, on up to `threads` threads; calls
 * begin in the order of indices. worker is the number of the calling thread, below threads. Returns
 * when all calls are done. If no thread can be started, the calling one makes all calls. */
void sal_pool_run(int threads, int count, void (*work)(void *context, int worker, int index),
                  void *context);

enum { SAL_POOL_THREADS = 64 }; /* largest number of threads */

#endif
