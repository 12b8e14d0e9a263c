/* What the library of launch hooks and the CUDA agent share: a ring of launches, which the hooks fill and the agent empties. */
#ifndef INFERSCOPE_LAUNCHES_H
#define INFERSCOPE_LAUNCHES_H

#include <stdbool.h>
#include <stdint.h>

enum { LAUNCHES_VERSION = 4, LAUNCHES_ROOM = 1 << 17, LAUNCHES_MARGIN = 1 << 10, LAUNCHES_THREADS = 64 };

enum launch_work { LAUNCH_KERNEL, LAUNCH_COPY, LAUNCH_FILL, LAUNCH_GRAPH, LAUNCH_WAIT, LAUNCH_WAIT_FOR_ALL };

/* One call. Times are the processor's counter. */
struct launch {
    uint64_t begin, end;
    uint64_t size;     /* blocks of the grid, or bytes; UINT64_MAX: not known */
    uint32_t thread;   /* the low half of its pthread id */
    uint32_t context, stream;
    uint32_t function; /* hash of the kernel's name, 0: not known; of a graph's launch, the graph's id in CUPTI's records */
    uint16_t call, work;
    uint32_t unused;
    uint64_t sequence; /* written last: the number of the launch, from 1 */
};

/* What one thread counts, which alone writes it, without locking the line. Threads beyond LAUNCHES_THREADS share the last of these. */
struct launches_of_thread {
    uint64_t counted; /* calls that launch */
    uint64_t busy;    /* ticks in calls that launch or wait for the device, and in pauses of a thread between two of them */
    uint32_t thread;  /* the low half of its pthread id */
} __attribute__((aligned(64)));

struct launches {
    uint32_t version;
    uint32_t capturing;  /* atomic: captures of streams that have begun and not ended */
    bool on;             /* atomic: launches are recorded */
    bool counting;       /* atomic: launches are counted, recorded or not */
    uint64_t head, tail; /* atomic: the next number that a hook takes, and that the agent takes out */
    uint64_t lost;       /* atomic: calls for which there was no room */
    uint64_t pause;      /* atomic: longest pause that counts as busy, ticks; set before `counting` */
    uint64_t generation; /* atomic: grows when a handle may be used again */
    uint64_t hooked;     /* atomic: bit set of the calls that were handed out */
    uint32_t thread_count; /* atomic: threads with such calls */
    struct launches_of_thread of_threads[LAUNCHES_THREADS + 1]; /* in the order in which they came */
    const char *const *names; /* of the calls, by number */
    /* Set by the agent before `on`; each may be NULL. They return CUPTI's number of something. */
    int (*context_id)(void *context, uint32_t *id);
    int (*stream_id)(void *context, void *stream, uint8_t per_thread, uint32_t *id);
    int (*graph_id)(void *graph, uint32_t *id);
    struct launch *ring; /* LAUNCHES_ROOM of them */
};

/* FNV-1a; never 0. */
static inline uint32_t launches_hash(const char *text) {
    uint32_t hash = 2166136261u;
    while (*text != 0) hash = (hash ^ (uint8_t)*text++) * 16777619u;
    return hash == 0 ? 1 : hash;
}

#if defined(LAUNCHES_TICKS) /* The counter of a test, such as one that other programs on the machine do not slow. */
__attribute__((visibility("default"))) uint64_t LAUNCHES_TICKS(void);
#endif

static inline uint64_t launches_ticks(void) {
#if defined(LAUNCHES_TICKS)
    return LAUNCHES_TICKS();
#elif defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#endif
}

#endif
