/* The agent while it runs: what its parts share. */
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
    bool closed;             /* nothing is stored any more; written while storing is held */
    uint64_t requests;       /* how often CUPTI asked for a buffer; atomic */
    uint64_t deliveries;     /* how often one of the agent's came back; atomic */
    uint32_t own_thread;     /* the low half of the pthread id of the agent's thread */
};

extern struct running agent;

#endif
