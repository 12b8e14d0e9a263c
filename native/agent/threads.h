/* Which kernel thread a thread is that CUPTI names by its pthread id. */
#ifndef INFERSCOPE_THREADS_H
#define INFERSCOPE_THREADS_H

#include <stdint.h>

/* Learns from a thread of which both ids are known; the mapping works from the second one on. */
void threads_learn(uint64_t pthread, uint32_t tid);
/* The same, from the calling thread. */
void threads_learn_own(void);
/* Starts a new round: every thread is looked at again when it is next asked for. */
void threads_round(void);
/* Stores the threads that are known once more, in another file of the spool. */
void threads_again(void);
/* Returns the kernel thread id of a thread that CUPTI names by the low half of its pthread id; 0 when it cannot be known any more. */
uint32_t thread_of(uint32_t pthread_low);

#endif
