/* The buffers that CUPTI fills. They are asked for on the program's own threads, so nothing here waits for what is being decoded. */
#include "buffers.h"

#include <pthread.h>
#include <sys/mman.h>

/* Size: CUPTI's manual advises 1 to 10 MB. The limit holds what a program records in the longest delay of their return. */
enum { BUFFER_BYTES = 2 << 20, MAX_BUFFERS = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t *spare[MAX_BUFFERS];
static int spare_count, made;

uint8_t *buffer_take(size_t *bytes) {
    pthread_mutex_lock(&lock);
    uint8_t *buffer = spare_count > 0 ? spare[--spare_count] : NULL;
    bool more = buffer == NULL && made < MAX_BUFFERS;
    made += more;
    pthread_mutex_unlock(&lock);
    if (more) {
        void *memory = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        buffer = memory == MAP_FAILED ? NULL : memory;
    }
    *bytes = buffer == NULL ? 0 : BUFFER_BYTES;
    return buffer;
}

void buffer_give_back(uint8_t *buffer) {
    pthread_mutex_lock(&lock);
    if (spare_count < MAX_BUFFERS) spare[spare_count++] = buffer;
    pthread_mutex_unlock(&lock);
}
