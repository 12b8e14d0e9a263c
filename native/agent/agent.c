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
enum { STATUS_OK = 0, STATUS_FAILED = 2 };

extern int __cxa_atexit(void (*function)(void *), void *argument, void *library);

static struct {
    pid_t owner;
    struct cupti cupti;
    pthread_mutex_t storing;     /* held while something is stored */
    int stop, stopped;           /* flags that are waited on; no descriptor, which the program might close */
    bool closed;
    uint32_t clock_name, own_name;
    uint8_t *cost;               /* the record of the agent's own cost, updated in place */
    uint64_t elsewhere_ns;       /* CPU time in callbacks on threads that are not the agent's */
    uint32_t own_thread;
    int (*driver_version)(int *);
} agent = {.storing = PTHREAD_MUTEX_INITIALIZER};

void say_coverage(const char *why, uint16_t status) {
    uint32_t source = intern_text("cuda-agent"), text = intern_text(why);
    uint8_t *record = spool_begin(40);
    if (record == NULL) return;
    put32(record, 8, source);
    put32(record, 12, text);
    put64(record, 24, status == STATUS_FAILED);
    put32(record, 32, (uint32_t)agent.owner);
    put16(record, 36, status);
    spool_end(record, SPOOL_COVERAGE);
}

static void say_note(const char *key, const char *value) {
    uint32_t key_id = intern_text(key), value_id = intern_text(value);
    uint8_t *record = spool_begin(24);
    if (record == NULL) return;
    put32(record, 8, key_id);
    put32(record, 12, value_id);
    put32(record, 16, (uint32_t)agent.owner);
    spool_end(record, SPOOL_NOTE);
}

/* Stores what four clocks show now. The records of a buffer lie before the moment that follows them. */
static void store_moment(void) {
    struct moment now;
    moment_now(&agent.cupti, &now);
    uint8_t *record = spool_begin(48);
    if (record == NULL) return;
    put64(record, 8, now.monotonic_ns);
    put64(record, 16, now.realtime_ns);
    put64(record, 24, now.cupti);
    put32(record, 32, agent.clock_name);
    put32(record, 36, now.uncertainty_ns);
    put64(record, 40, now.ticks);
    spool_end(record, SPOOL_CLOCK);
}

/* The record lies in block 0, which stays mapped and is sealed last. */
static void begin_cost(void) {
    uint8_t *record = spool_begin(40);
    if (record == NULL) return;
    put32(record, 24, agent.own_name);
    put32(record, 28, (uint32_t)agent.owner);
    spool_end(record, SPOOL_OVERHEAD);
    agent.cost = record;
}

static void update_cost(uint64_t cpu_ns) {
    if (agent.cost == NULL) return;
    put64(agent.cost, 8, cpu_ns + agent.elsewhere_ns);
    put64(agent.cost, 32, spool_stored());
}

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
        decode_all(buffer, valid_bytes);
        store_moment();
    }
    if (!own) agent.elsewhere_ns += thread_cpu_ns() - before_ns;
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
    while (!wait_for(&agent.stop, FLUSH_MS)) flush(0);
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
    set(&agent.stop);
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
        decode_prepare(&agent.cupti, agent.own_thread);
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
    say_coverage(why, STATUS_FAILED);
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
    decode_prepare(&agent.cupti, 0);
    int result = agent.cupti.register_callbacks(on_request, on_complete);
    if (result != CUPTI_OK) {
        fail_call("cuptiActivityRegisterCallbacks", 0, result);
        return "";
    }
    if (!enable_activities()) return "";
    decode_silence_calls();
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
    agent.clock_name = intern_text("cupti");
    agent.own_name = intern_text("cuda-agent");
    threads_learn();
    begin_cost();
    const char *obstacle = begin_recording();
    if (obstacle == NULL) return 1;
    pthread_mutex_lock(&agent.storing);
    if (*obstacle != 0) say_coverage(obstacle, STATUS_FAILED);
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
