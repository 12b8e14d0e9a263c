/* CUPTI's callbacks: it requests an empty buffer on the program's threads, and returns a full one on its own thread,
 * the program's or the agent's. No function of CUPTI is called while a lock is held here, because CUPTI holds its own
 * locks during callbacks. */
#include "buffers.h"
#include "clocks.h"
#include "decode.h"
#include "decode_rare.h"
#include "delivery.h"
#include "intern.h"
#include "notes.h"
#include "running.h"
#include "spool.h"
#include "threads.h"

#include <unistd.h>

enum { BATCH = 512, LARGEST_RECORD_BYTES = 256 };

void on_request(uint8_t **buffer, size_t *bytes, size_t *max_records) {
    *max_records = 0; /* As many as fit. */
    if (getpid() != agent.owner || __atomic_load_n(&agent.closed, __ATOMIC_RELAXED)) {
        *buffer = buffer_discard(bytes);
        return;
    }
    __atomic_fetch_add(&agent.requests, 1, __ATOMIC_RELAXED);
    *buffer = buffer_take(bytes);
}

/* Stores the records that a new file of the spool needs to be readable without the files before it. */
static void say_again(void) {
    notes_again();
    decode_again();
    threads_again();
}

/* Stores a batch of a buffer's records. begins: whether the batch is the buffer's first one. */
static void store(uint8_t *const *records, size_t count, const uint8_t *end, bool begins) {
    pthread_mutex_lock(&agent.storing);
    if (agent.closed) {
        spool_lost(count);
    } else {
        if (spool_turn()) say_again();
        if (begins) {
            threads_round();
            intern_next_buffer();
        }
        for (size_t i = 0; i < count; i++) decode(records[i], (size_t)(end - records[i]));
    }
    pthread_mutex_unlock(&agent.storing);
}

static void store_all(uint8_t *buffer, size_t valid_bytes) {
    uint8_t *records[BATCH], *record = NULL;
    int result = CUPTI_OK;
    for (bool begins = true; result == CUPTI_OK; begins = false) {
        size_t count = 0;
        while (count < BATCH && (result = agent.cupti.next_record(buffer, valid_bytes, &record)) == CUPTI_OK) {
            if (record < buffer || record >= buffer + valid_bytes) {
                result = -1;
                break;
            }
            records[count++] = record;
        }
        store(records, count, buffer + valid_bytes, begins);
    }
    if (result != CUPTI_END_OF_BUFFER) spool_lost(1); /* The rest of the buffer cannot be parsed. */
}

void on_complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid_bytes) {
    if (buffer == NULL || getpid() != agent.owner) return;
    if (buffer_is_discard(buffer)) { /* Threads overwrite each other here, so this is a lower bound of the records. */
        spool_lost(valid_bytes / LARGEST_RECORD_BYTES + (valid_bytes > 0));
        return;
    }
    if (!buffer_is_own(buffer)) return; /* A buffer of another profiler, requested before the agent registered again. */
    bool own = (uint32_t)(uintptr_t)pthread_self() == agent.own_thread;
    uint64_t before_ns = own ? 0 : thread_cpu_ns();
    size_t dropped = 0;
    if (agent.cupti.dropped_records(context, stream, &dropped) == CUPTI_OK && dropped > 0) spool_lost(dropped);
    if (valid_bytes > 0 && valid_bytes <= bytes) store_all(buffer, valid_bytes);
    __atomic_fetch_add(&agent.deliveries, 1, __ATOMIC_RELAXED);
    struct moment now;
    moment_now(&agent.cupti, &now);
    pthread_mutex_lock(&agent.storing);
    if (!agent.closed) store_moment(&now);
    if (!own) add_cost(thread_cpu_ns() - before_ns);
    pthread_mutex_unlock(&agent.storing);
    buffer_give_back(buffer);
}
