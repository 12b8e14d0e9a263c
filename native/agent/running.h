/* The agent while it runs: what its parts share. */
#ifndef INFERSCOPE_RUNNING_H
#define INFERSCOPE_RUNNING_H

#include "agent.h"

#include <pthread.h>

struct running {
    pid_t owner;             /* the process that is recorded; a forked child has another id */
    struct cupti cupti;
    pthread_mutex_t storing; /* held while something is stored */
    bool closed;             /* nothing is stored any more; guarded by storing */
    uint32_t own_thread;     /* the low half of the pthread id of the agent's thread */
};

extern struct running agent;

/* ---- delivery.c: what CUPTI calls */

void on_request(uint8_t **buffer, size_t *bytes, size_t *max_records);
void on_complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid_bytes);

/* ---- flusher.c: the agent's thread */

/* Starts it; it ends with the program. Returns false when no thread could be started. */
bool flusher_start(void);

#endif
