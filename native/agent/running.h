/* The state of the running agent, shared by its parts. */
#ifndef INFERSCOPE_RUNNING_H
#define INFERSCOPE_RUNNING_H

#include "cupti_abi.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct running {
    pid_t owner;             /* the process that is recorded; a forked child has another id */
    struct cupti cupti;
    pthread_mutex_t storing; /* held while something is stored */
    bool closed;             /* set when storing has ended; written while storing is held */
    uint64_t requests;       /* number of CUPTI's requests for a buffer; atomic */
    uint64_t deliveries;     /* number of the agent's returned buffers; atomic */
    uint32_t own_thread;     /* the low half of the pthread id of the agent's thread */
};

extern struct running agent;

#endif
