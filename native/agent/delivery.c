/* What CUPTI calls: for an empty buffer on the program's threads, with a full one on a thread of its own, of the program or of the agent. */
#include "buffers.h"
#include "clocks.h"
#include "decode.h"
#include "delivery.h"
#include "intern.h"
#include "notes.h"
#include "running.h"
#include "spool.h"
#include "threads.h"

#include <unistd.h>

void on_request(uint8_t **buffer, size_t *bytes, size_t *max_records) {
    *max_records = 0; /* As many as fit. */
    *buffer = getpid() == agent.owner && !agent.closed ? buffer_take(bytes) : NULL;
    if (*buffer == NULL) *bytes = 0;
}

static void decode_all(uint8_t *buffer, size_t valid_bytes) {
    uint8_t *record = NULL;
    int result;
    while ((result = agent.cupti.next_record(buffer, valid_bytes, &record)) == CUPTI_OK) {
        if (record < buffer || record >= buffer + valid_bytes) {
            result = -1;
            break;
        }
        decode(record, (size_t)(buffer + valid_bytes - record));
    }
    if (result != CUPTI_END_OF_BUFFER) spool_lost(1); /* What follows in the buffer cannot be found. */
}

void on_complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid_bytes) {
    if (buffer == NULL || getpid() != agent.owner) return;
    bool own = (uint32_t)(uintptr_t)pthread_self() == agent.own_thread;
    uint64_t before_ns = own ? 0 : thread_cpu_ns();
    pthread_mutex_lock(&agent.storing);
    size_t dropped = 0;
    if (agent.cupti.dropped_records(context, stream, &dropped) == CUPTI_OK && dropped > 0) spool_lost(dropped);
    if (agent.closed) {
        spool_lost(1);
    } else if (valid_bytes > 0 && valid_bytes <= bytes) {
        threads_round();
        intern_next_buffer();
        decode_all(buffer, valid_bytes);
        store_moment();
    }
    if (!own) add_cost(thread_cpu_ns() - before_ns);
    pthread_mutex_unlock(&agent.storing);
    buffer_give_back(buffer);
}
