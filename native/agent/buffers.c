/* The buffers that CUPTI fills. CUPTI requests them on the program's own threads, so nothing here waits for
 * decoding.
 *
 * They come from malloc, each on its own: a profiler that registers after the agent is handed the buffers that CUPTI is
 * filling, and frees them as if they were its own, as JAX's does. */
#include "buffers.h"

#include <pthread.h>
#include <stdlib.h>

/* From CUDA 13 on, each thread of the program fills its own buffer, so buffers are small and many. Many are also needed
 * if the program records faster than the agent decodes: the limit, 512 MiB, is enough for the longest delay of their
 * return. */
enum { BUFFER_BYTES = 512 << 10, MAX_BUFFERS = 1024, DISCARD_BYTES = 64 << 10 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t *all[MAX_BUFFERS], *spare[MAX_BUFFERS];
static int made, spare_count;

/* Buffer for discarded records. Threads overwrite each other here. */
static uint8_t discarded[DISCARD_BYTES] __attribute__((aligned(8)));

uint8_t *buffer_discard(size_t *bytes) {
    *bytes = sizeof discarded;
    return discarded;
}

bool buffer_is_discard(const uint8_t *buffer) { return buffer == discarded; }

/* Memory is allocated under the lock, because that happens once per buffer and the list must not have gaps. */
uint8_t *buffer_take(size_t *bytes) {
    pthread_mutex_lock(&lock);
    uint8_t *buffer = spare_count > 0 ? spare[--spare_count] : NULL;
    if (buffer == NULL && made < MAX_BUFFERS) {
        buffer = malloc(BUFFER_BYTES);
        if (buffer != NULL) all[made++] = buffer;
    }
    pthread_mutex_unlock(&lock);
    *bytes = BUFFER_BYTES;
    return buffer != NULL ? buffer : buffer_discard(bytes);
}

bool buffer_is_own(const uint8_t *buffer) {
    bool own = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < made && !own; i++) own = all[i] == buffer;
    pthread_mutex_unlock(&lock);
    return own;
}

bool buffers_are_out(void) {
    pthread_mutex_lock(&lock);
    bool out = spare_count < made;
    pthread_mutex_unlock(&lock);
    return out;
}

void buffers_forget(void) {
    pthread_mutex_lock(&lock);
    for (made = 0; made < spare_count; made++) all[made] = spare[made];
    pthread_mutex_unlock(&lock);
}

void buffer_give_back(uint8_t *buffer) {
    pthread_mutex_lock(&lock);
    if (spare_count < made) spare[spare_count++] = buffer;
    pthread_mutex_unlock(&lock);
}
