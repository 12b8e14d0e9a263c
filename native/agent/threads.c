/* Maps CUPTI's thread ids to the kernel's.
 *
 * CUPTI identifies a thread by the low 32 bits of its pthread_t. Kernel ids would need a process-wide setting, which
 * would affect other profilers. A pthread_t is the address of the C library's descriptor of the thread, which contains
 * the kernel's id. The id's offset is found from two threads with known kernel ids, so no layout is assumed. Memory is
 * read through /proc/self/mem, which returns an error for an invalid address. */
#include "clocks.h"
#include "spool.h"
#include "threads.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SCANNED_BYTES = 4096, MAX_OFFSETS = SCANNED_BYTES / 4, SLOTS = 4096, MAX_HALVES = 64 };

static struct {
    uint16_t offsets[MAX_OFFSETS]; /* possible offsets of the kernel id in a thread's descriptor */
    uint32_t offset_count;
    uint32_t lessons;
    uint32_t halves[MAX_HALVES];   /* upper halves of pthread ids seen so far */
    uint32_t half_count;
    uint32_t round;
} known;

struct thread {
    uint64_t pthread; /* full id; 0 if it was not found */
    uint32_t low, tid, round;
    bool used;
};

static struct thread threads[SLOTS];

/* Reads memory of the program. Returns how many bytes could be read. */
static size_t peek(uint64_t address, void *into, size_t bytes) {
    int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    ssize_t got = memory < 0 ? -1 : pread(memory, into, bytes, (off_t)address);
    if (memory >= 0) close(memory);
    return got < 0 ? 0 : (size_t)got;
}

static void remember_half(uint32_t half) {
    for (uint32_t i = 0; i < known.half_count; i++)
        if (known.halves[i] == half) return;
    if (known.half_count < MAX_HALVES) known.halves[known.half_count++] = half;
}

static void store_thread(uint64_t pthread, uint32_t tid) {
    uint8_t *record = spool_begin(SPOOL_THREAD_BYTES);
    if (record == NULL) return;
    put32(record, SPOOL_THREAD_TID, tid);
    put64(record, SPOOL_THREAD_PTHREAD_ID, pthread);
    put32(record, SPOOL_THREAD_PID, (uint32_t)getpid());
    spool_end(record, SPOOL_THREAD);
}

/* Keeps only those offsets at which this thread's kernel id is found. */
void threads_learn(uint64_t pthread, uint32_t tid) {
    uint32_t kept = 0;
    static uint8_t record[SCANNED_BYTES];
    size_t readable = peek(pthread, record, sizeof record);
    if (known.lessons == 0)
        for (uint32_t i = 0; i < MAX_OFFSETS; i++) known.offsets[known.offset_count++] = (uint16_t)(i * 4);
    for (uint32_t i = 0; i < known.offset_count; i++)
        if (known.offsets[i] + 4u <= readable && get32(record, known.offsets[i]) == tid) known.offsets[kept++] = known.offsets[i];
    known.offset_count = kept;
    known.lessons++;
    remember_half((uint32_t)(pthread >> 32));
    store_thread(pthread, tid);
}

void threads_learn_own(void) { threads_learn((uint64_t)(uintptr_t)pthread_self(), own_tid()); }

void threads_round(void) { known.round++; }

static bool is_own_thread(uint32_t tid) {
    char path[48];
    snprintf(path, sizeof path, "/proc/self/task/%u", tid);
    return tid != 0 && access(path, F_OK) == 0;
}

/* Returns the kernel id of the thread whose pthread id this would be, 0 when there is no such thread. */
static uint32_t tid_at(uint64_t pthread) {
    uint32_t tid;
    return known.lessons > 1 && known.offset_count > 0 && peek(pthread + known.offsets[0], &tid, sizeof tid) == sizeof tid && is_own_thread(tid) ? tid : 0;
}

/* Tries every mapping that contains an address with this lower half. */
static uint64_t search_mappings(uint32_t low, uint32_t *tid) {
    static char text[1 << 16];
    int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    size_t held = 0;
    uint64_t found = 0;
    for (ssize_t more; maps >= 0 && found == 0 && (more = read(maps, text + held, sizeof text - 1 - held)) > 0;) {
        held += (size_t)more;
        text[held] = 0;
        char *line = text, *end;
        while (found == 0 && (end = strchr(line, '\n')) != NULL) {
            char *dash;
            uint64_t from = strtoull(line, &dash, 16), to = strtoull(dash + 1, NULL, 16);
            uint64_t candidate = (from & ~0xffffffffull) | low;
            if (candidate < from) candidate += 1ull << 32;
            if (candidate < to && (*tid = tid_at(candidate)) != 0) found = candidate;
            line = end + 1;
        }
        held = (size_t)(text + held - line);
        memmove(text, line, held);
        if (held == sizeof text - 1) held = 0;
    }
    if (maps >= 0) close(maps);
    return found;
}

static void look_for(struct thread *thread) {
    for (uint32_t i = 0; i < known.half_count; i++) {
        uint64_t candidate = (uint64_t)known.halves[i] << 32 | thread->low;
        if ((thread->tid = tid_at(candidate)) != 0) {
            thread->pthread = candidate;
            return;
        }
    }
    thread->pthread = search_mappings(thread->low, &thread->tid);
    if (thread->pthread != 0) remember_half((uint32_t)(thread->pthread >> 32));
}

/* Pthread ids are reused by later threads, so the mapping is checked once per round. An ended thread keeps its kernel
 * id. */
static void check(struct thread *thread) {
    uint32_t tid = thread->tid;
    if (thread->pthread == 0) {
        look_for(thread);
    } else {
        uint32_t now = tid_at(thread->pthread);
        thread->tid = now != 0 ? now : tid;
    }
    if (thread->tid != 0 && thread->tid != tid) store_thread(thread->pthread, thread->tid);
}

void threads_again(void) {
    for (uint32_t i = 0; i < SLOTS; i++)
        if (threads[i].used && threads[i].tid != 0 && threads[i].pthread != 0) store_thread(threads[i].pthread, threads[i].tid);
}

uint32_t thread_of(uint32_t low) {
    static uint32_t used;
    uint32_t at = (low >> 6) * 0x9e3779b1u >> 20;
    while (threads[at].used && threads[at].low != low) at = (at + 1) % SLOTS;
    struct thread *thread = &threads[at];
    if (!thread->used) {
        if (used == SLOTS - 1) return 0;
        used++;
        *thread = (struct thread){.low = low, .used = true, .round = known.round - 1};
    }
    if (thread->round != known.round) {
        thread->round = known.round;
        check(thread);
    }
    return thread->tid;
}
