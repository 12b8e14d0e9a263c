/* Finds the kernel thread id of a thread that CUPTI identifies by its pthread id. */
#ifndef INFERSCOPE_THREADS_H
#define INFERSCOPE_THREADS_H

#include <stdint.h>

/* Learns from a thread with known ids; the mapping works from the second such thread on. */
void threads_learn(uint64_t pthread, uint32_t tid);
/* The same, from the calling thread. */
void threads_learn_own(void);
/* Starts a new round: every thread is read again when next needed. */
void threads_round(void);
/* Stores the known threads again in a new file of the spool. */
void threads_again(void);
/* Returns the kernel thread id of a thread, given the low half of its pthread id; 0 if it cannot be found any more. */
uint32_t thread_of(uint32_t pthread_low);

#endif
