/* The agent's thread: requests CUPTI's buffers every 200 ms, and once more at the program's end. */
#include "chunks.h"
#include "clocks.h"
#include "decode.h"
#include "flusher.h"
#include "launches.h"
#include "libc_floor.h"
#include "notes.h"
#include "recording.h"
#include "running.h"
#include "spool.h"
#include "subscriber.h"
#include "threads.h"

#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* FLUSH_MS bounds the loss by a kill. EXIT_MS bounds the delay of the program's exit by a CUPTI that hangs. */
enum { FLUSH_MS = 200, EXIT_MS = 3000, STACK_BYTES = 1 << 20 };

extern int __cxa_atexit(void (*function)(void *), void *argument, void *library);

static struct {
    int bell, stop, stopped; /* flags; bell and stopped are futexes; no descriptors, which the program might close */
    uint32_t ending_tid;     /* the thread that ends the program, and when its wait for the agent began */
    uint64_t ending_since_ns;
} flusher;

static void set(int *flag) {
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, flag, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Waits until the flag is set, for at most the given time; a handled signal does not end the wait. Returns whether it
 * is set. */
static bool wait_for(int *flag, uint64_t milliseconds) {
    uint64_t until_ns = monotonic_ns() + milliseconds * 1000000, now_ns;
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE) && (now_ns = monotonic_ns()) < until_ns) {
        struct timespec timeout = {(time_t)((until_ns - now_ns) / 1000000000), (long)((until_ns - now_ns) % 1000000000)};
        syscall(SYS_futex, flag, FUTEX_WAIT_PRIVATE, 0, &timeout, NULL, 0);
    }
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

/* Wakes the agent's thread before its next flush is due, to make room for records. */
static void ring(void) { set(&flusher.bell); }

static void wait_for_flush(void) {
    uint64_t due_ns = monotonic_ns() + FLUSH_MS * 1000000ull, edge_ns = recording_edge_ns();
    if (edge_ns < due_ns) due_ns = edge_ns;
    for (uint64_t now_ns; !__atomic_load_n(&flusher.stop, __ATOMIC_ACQUIRE);) {
        chunks_prepare();
        if ((now_ns = monotonic_ns()) >= due_ns) return;
        wait_for(&flusher.bell, (due_ns - now_ns) / 1000000 + 1);
        __atomic_store_n(&flusher.bell, 0, __ATOMIC_RELEASE);
    }
}

static void collect(void) {
    struct moment now;
    recording_collect(); /* CUPTI returns buffers on this thread or on its own, so no lock that their processing needs may be held here. */
    bool read = moment_now(&agent.cupti, &now); /* CUPTI may refuse, as long as a profiler of its other interface is there. */
    pthread_mutex_lock(&agent.storing);
    if (read) store_moment(&now);
    if (read) launches_take(&now);
    update_cost(thread_cpu_ns());
    pthread_mutex_unlock(&agent.storing);
    spool_seal_full_blocks();
}

void flusher_run(bool (*goes_on)(void)) {
    prctl(PR_SET_NAME, "inferscope-cuda");
    pthread_mutex_lock(&agent.storing);
    threads_learn_own();
    pthread_mutex_unlock(&agent.storing);
    while (wait_for_flush(), !__atomic_load_n(&flusher.stop, __ATOMIC_ACQUIRE) && goes_on()) collect();
    recording_end();
    collect();
    subscriber_leave();
    pthread_mutex_lock(&agent.storing);
    recording_say_flushes(decode_heard());
    if (__atomic_load_n(&flusher.stop, __ATOMIC_ACQUIRE)) say_held_up("inferscope agent end", flusher.ending_tid, flusher.ending_since_ns);
    update_cost(thread_cpu_ns());
    __atomic_store_n(&agent.closed, true, __ATOMIC_RELAXED);
    spool_close();
    pthread_mutex_unlock(&agent.storing);
    set(&flusher.stopped);
}

static bool always(void) { return true; }

void *flush_to_the_end(void *unused) {
    (void)unused;
    flusher_run(always);
    return NULL;
}

/* Runs at the program's normal end, on the thread that ends it. A forked child inherits this handler but has nothing to
 * end. */
static void at_exit(void *unused) {
    (void)unused;
    if (getpid() != agent.owner) return;
    flusher.ending_since_ns = monotonic_ns();
    flusher.ending_tid = own_tid();
    __atomic_store_n(&flusher.stop, 1, __ATOMIC_RELEASE);
    ring();
    wait_for(&flusher.stopped, EXIT_MS);
}

static bool start_thread(void *(*run)(void *)) {
    sigset_t all, before;
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0) return false;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before); /* Blocked, so that signals are handled on the program's own threads. */
    pthread_mutex_lock(&agent.storing);
    bool started = pthread_create(&thread, &attributes, run, NULL) == 0;
    if (started) {
        agent.own_thread = (uint32_t)(uintptr_t)thread;
        decode_prepare(agent.own_thread);
        pthread_detach(thread);
    }
    pthread_mutex_unlock(&agent.storing);
    sigprocmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}

void flusher_end_with_program(void) {
    static bool does;
    __atomic_store_n(&flusher.stopped, 0, __ATOMIC_RELAXED); /* Only now: otherwise the end would wait for a thread that never runs. */
    if (!__atomic_exchange_n(&does, true, __ATOMIC_ACQ_REL)) __cxa_atexit(at_exit, NULL, NULL); /* Registered after CUPTI's handlers, so that it runs before them. */
}

bool flusher_start(void *(*run)(void *)) {
    spool_on_low(ring);
    return start_thread(run);
}
