/* The CUDA agent: what the CUDA driver loads by CUDA_INJECTION64_PATH into a program that InferScope runs (docs/cuda-agent.md).
 *
 *   program's threads      CUPTI                    agent's thread, every 200 ms
 *   CUDA calls  ------->  buffers  --complete-->    flush: whole buffers come back
 *                                   decode, intern, store in the spool
 *
 * Records of CUPTI's activity interface only: no callback is subscribed to and no clock is registered, which the program's own profiler needs.
 * Whatever fails is noted in the spool, and the program goes on. */
#include "agent.h"
#include "buffers.h"
#include "chunks.h"
#include "libc_floor.h"

#include <dlfcn.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

/* FLUSH_MS bounds what a kill loses. EXIT_MS bounds how long a CUPTI that hangs can hold up the program's exit. */
enum { FLUSH_MS = 200, EXIT_MS = 3000, STACK_BYTES = 1 << 20 };

extern int __cxa_atexit(void (*function)(void *), void *argument, void *library);

static struct {
    pid_t owner;
    struct cupti cupti;
    pthread_mutex_t storing;     /* held while something is stored */
    int bell, stop, stopped;     /* flags; waited on is the bell, and stopped; no descriptor, which the program might close */
    bool closed;
    uint32_t own_thread;
    int (*driver_version)(int *);
} agent = {.storing = PTHREAD_MUTEX_INITIALIZER};

/* ---- what CUPTI calls */

static void on_request(uint8_t **buffer, size_t *bytes, size_t *max_records) {
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

static void on_complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid_bytes) {
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

/* ---- the agent's thread */

static void set(int *flag) {
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, flag, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Waits until the flag is set, at most so long. Returns whether it is. */
static bool wait_for(int *flag, long milliseconds) {
    struct timespec timeout = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    if (!__atomic_load_n(flag, __ATOMIC_ACQUIRE)) syscall(SYS_futex, flag, FUTEX_WAIT_PRIVATE, 0, &timeout, NULL, 0);
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

/* What the agent's thread does before its next flush is due: room to store in. */
static void ring(void) { set(&agent.bell); }

static void wait_for_flush(void) {
    for (uint64_t due_ns = monotonic_ns() + FLUSH_MS * 1000000ull, now_ns; !__atomic_load_n(&agent.stop, __ATOMIC_ACQUIRE);) {
        chunks_prepare();
        if ((now_ns = monotonic_ns()) >= due_ns) return;
        wait_for(&agent.bell, (long)((due_ns - now_ns) / 1000000 + 1));
        __atomic_store_n(&agent.bell, 0, __ATOMIC_RELEASE);
    }
}

/* Makes a call of which CUPTI must deliver a record: when none comes, somebody else receives the records. */
static void call_to_be_heard(void) {
    int version;
    if (agent.driver_version == NULL) {
        void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
        if (driver != NULL) agent.driver_version = (int (*)(int *))dlsym(driver, "cuDriverGetVersion");
    }
    if (agent.driver_version != NULL) agent.driver_version(&version);
}

static void flush(uint32_t forced) {
    call_to_be_heard();
    agent.cupti.flush_all(forced); /* Buffers come back on this thread or on CUPTI's own: nothing is held here. */
    pthread_mutex_lock(&agent.storing);
    store_moment();
    update_cost(thread_cpu_ns());
    pthread_mutex_unlock(&agent.storing);
    spool_seal_full_blocks();
}

static void *flush_repeatedly(void *unused) {
    (void)unused;
    prctl(PR_SET_NAME, "inferscope");
    pthread_mutex_lock(&agent.storing);
    threads_learn();
    pthread_mutex_unlock(&agent.storing);
    while (wait_for_flush(), !__atomic_load_n(&agent.stop, __ATOMIC_ACQUIRE)) flush(0);
    flush(1);
    pthread_mutex_lock(&agent.storing);
    agent.closed = true;
    spool_close();
    pthread_mutex_unlock(&agent.storing);
    set(&agent.stopped);
    return NULL;
}

/* Runs at the program's normal end, on the thread that ends it. A forked child inherits it and has nothing to end. */
static void at_exit(void *unused) {
    (void)unused;
    if (getpid() != agent.owner) return;
    __atomic_store_n(&agent.stop, 1, __ATOMIC_RELEASE);
    ring();
    wait_for(&agent.stopped, EXIT_MS);
}

static bool start_thread(void) {
    sigset_t all, before;
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0) return false;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before); /* The program's signals are handled on its own threads. */
    pthread_mutex_lock(&agent.storing);
    bool started = pthread_create(&thread, &attributes, flush_repeatedly, NULL) == 0;
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

/* ---- starting */

static void fail_call(const char *call, int kind, int result) {
    const char *text = NULL;
    char why[256];
    if (agent.cupti.result_text != NULL) agent.cupti.result_text(result, &text);
    snprintf(why, sizeof why, "libcupti refused %s(%d): error %d %s", call, kind, result, text == NULL ? "" : text);
    pthread_mutex_lock(&agent.storing);
    say_coverage(why, SAID_FAILED);
    pthread_mutex_unlock(&agent.storing);
}

/* Returns whether device work is recorded; what else is refused is noted. */
static bool enable_activities(void) {
    static const int kinds[] = {KIND_CONCURRENT_KERNEL, KIND_DEVICE, KIND_CONTEXT, KIND_MEMCPY, KIND_MEMCPY_PEER, KIND_MEMSET, KIND_RUNTIME,
        KIND_DRIVER, KIND_SYNCHRONIZATION, KIND_OVERHEAD, KIND_EXTERNAL_CORRELATION, KIND_CUDA_EVENT, KIND_MARKER};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int result = agent.cupti.enable(kinds[i]);
        if (result != CUPTI_OK) fail_call("cuptiActivityEnable", kinds[i], result);
        if (result != CUPTI_OK && i == 0) return false;
    }
    return true;
}

static void note_version(const char *how) {
    uint32_t version = 0;
    char text[384];
    if (agent.cupti.version != NULL) agent.cupti.version(&version);
    snprintf(text, sizeof text, "API %u, %s", version, how);
    say_note("cupti", text);
}

/* Returns NULL when recording has begun, else what is in the way; empty when that was noted already. */
static const char *begin_recording(void) {
    static char how[320];
    const char *missing = "";
    void *library = cupti_open(how, sizeof how);
    if (library == NULL) return how;
    if (!cupti_resolve(library, &agent.cupti, &missing)) {
        snprintf(how, sizeof how, "libcupti has no function %s", missing);
        return how;
    }
    note_version(how);
    store_moment();
    calls_prepare(&agent.cupti);
    int result = agent.cupti.register_callbacks(on_request, on_complete);
    if (result != CUPTI_OK) {
        fail_call("cuptiActivityRegisterCallbacks", 0, result);
        return "";
    }
    if (!enable_activities()) return "";
    calls_silence();
    spool_on_low(ring);
    if (!start_thread()) return "no thread could be started that collects records";
    __cxa_atexit(at_exit, NULL, NULL); /* After CUPTI's own, so that it runs before them. */
    return NULL;
}

static uint64_t max_bytes(void) {
    const char *text = getenv("INFERSCOPE_SPOOL_MAX_BYTES");
    uint64_t bytes = text == NULL ? 0 : strtoull(text, NULL, 10);
    return bytes > 0 ? bytes : 100u << 20;
}

static bool is_on(void) {
    const char *enabled = getenv("INFERSCOPE_ENABLED");
    return enabled == NULL || strcmp(enabled, "0") != 0;
}

/* Called by the CUDA driver while it initialises. What it returns tells the driver that all is well, whatever happened. */
EXPORTED int InitializeInjection(void) {
    static bool called;
    const char *directory = getenv("INFERSCOPE_SPOOL_DIR");
    if (__atomic_exchange_n(&called, true, __ATOMIC_ACQ_REL) || directory == NULL || *directory == 0 || !is_on()) return 1;
    agent.owner = getpid();
    if (!spool_open(directory, agent.owner, max_bytes())) return 1;
    notes_prepare(&agent.cupti, agent.owner);
    threads_learn();
    begin_cost();
    const char *obstacle = begin_recording();
    if (obstacle == NULL) return 1;
    pthread_mutex_lock(&agent.storing);
    if (*obstacle != 0) say_coverage(obstacle, SAID_FAILED);
    agent.closed = true;
    spool_close();
    pthread_mutex_unlock(&agent.storing);
    return 1;
}

/* Called by NVTX, by NVTX_INJECTION64_PATH, at the program's first range: handed on to libcupti, which makes activity records of ranges. */
EXPORTED int InitializeInjectionNvtx2(void *export_table) {
    char how[256];
    const char *directory = getenv("INFERSCOPE_SPOOL_DIR");
    void *library = directory == NULL || !is_on() ? NULL : cupti_open(how, sizeof how);
    int (*initialize)(void *) = library == NULL ? NULL : (int (*)(void *))dlsym(library, "InitializeInjectionNvtx2");
    return initialize == NULL ? 0 : initialize(export_table);
}
