/* Stand-in for libcupti: buffers, delivery and records of three generations, chosen when it is compiled (GENERATION 11,
 * 12 or 13). As documented, there is one receiver, the client that registered last. Before generation 13 all threads
 * fill one buffer, and a NULL buffer makes it crash; from 13 on each thread has its own.
 *
 *   STUB_KEEP=n       flushes return buffers n flushes late
 *   STUB_NEVER=1      unforced flushes return nothing, nor do forced ones
 *   STUB_LATE=1       flushes return nothing, unsubscribing returns all of the subscriber's buffers
 *   STUB_REFUSE=n     every cuptiActivityEnable returns error n, and writes it to CUPTI's log (NVLOG_CONFIG_FILE)
 *   STUB_SLOW=ms      a forced flush takes this long
 *   STUB_SEVERAL=1    CUDA 13.3: clients of the interface for several subscribers each have their records; while there are any, the interface for one
 *                     receiver returns error 39, and once that has a receiver, nobody else can subscribe
 *                     2: subscribing succeeds, and what a subscriber calls then is not supported
 *   STUB_RELEASES=1   the only receiver counts as gone while it has no kind turned on
 *   STUB_OTHER=1      another client uses the interface for several subscribers: register returns error 39
 *   STUB_LOCKED=1     a lock is held over every call and callback, as CUPTI holds locks of its own: whoever calls it under a lock that a callback needs hangs
 *   STUB_SUBSCRIBED=n     another profiler subscribes to callbacks: the n-th subscribe and all later ones return error
 *                         39
 *   STUB_ZERO=n       every n-th kernel has no times
 *   STUB_CUT=1        the last record of each buffer extends beyond the buffer
 *   STUB_CALL_NS=n    a recorded call takes this much longer, a recorded kernel STUB_WORK_NS, one of a graph STUB_NODE_NS, a
 *                     callback as long as a recorded call
 *   STUB_SLOWER_NS=n  a recorded call takes so much longer than the one before it
 *   STUB_FLUSH_US=n   a flush takes so much more CPU time than the one before it
 *   STUB_API=n        the version of the interface, such as 130200
 *   STUB_INVALID=n    from the n-th kernel of a graph on, stamps of kernels are invalid
 *   STUB_FIRST=1      once kernels are recorded for the k-th time, the stamps of the first k are invalid
 *   STUB_HOW=n        invalid stamps: 0 the end is before the start, 1 the start is 0, 2 the end is, 3 both are an hour later, 4 both
 *                     an hour earlier, 5 the end is an hour later
 *   STUB_ONE_ID=1     once kernels are recorded again, all launches of graphs and what they replay have the id of the first
 *   STUB_SWITCHES=n   switches of single calls: 1 they are accepted, and do nothing; otherwise they are refused with error n
 *   STUB_NO_WAITS=1   waits are not recorded
 *   STUB_DEVICES=5,9.1  devices, see stub.h
 *   STUB_NVTX=FILE    gets a line when ranges are passed to it
 *   STUB_COST=FILE    at the end: CPU time of the delivering threads in the agent's callback, ns, and the number of
 *                     records it received */
#include "records.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_KEPT = 256, MAX_CLIENTS = 4, TWO_INTERFACES = 39 };

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* The buffer that is being filled: by all threads, or by one. */
struct filling {
    uint8_t *buffer;
    size_t bytes, valid;
    uint64_t records;
    struct filling *next;
};

struct kept {
    struct client *client;
    uint8_t *buffer;
    size_t bytes, valid;
    uint64_t records;
};

/* The clients that get records: the first one is the receiver, the others are subscribers. */
static struct client {
    int is_there;
    cupti_request_fn request;
    cupti_complete_fn complete;
    cupti_request_v2_fn request_v2;
    cupti_complete_v2_fn complete_v2;
    unsigned char enabled[64], runtime_off[64], alone[2][64], had_kind[2]; /* alone: calls of the runtime, of the driver, recorded without their kind */
    struct filling shared, *fillings;
    struct kept kept[MAX_KEPT];
    int kept_count, times, first_invalid; /* times: that kernels were turned on */
    uint32_t first_graph;                 /* the id of the first launch of a graph since they were turned on again, 0: none */
    size_t dropped;
} clients[MAX_CLIENTS], *const receiver = clients;

static uint64_t delivered_records, delivery_ns;
static int64_t clock_step;
static int ticking, taken_over;

static int setting(const char *name) {
    const char *text = getenv(name);
    return text == NULL ? 0 : atoi(text);
}

static uint64_t now(void) {
    struct timespec time;
#if defined(__x86_64__)
    if (ticking) return __builtin_ia32_rdtsc();
#endif
    clock_gettime(CLOCK_REALTIME, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec + (uint64_t)clock_step;
}

/* For tests: moves the clock, replaces it by the processor's counter, takes the records from the agent. */
void stub_clock_step(int64_t ns) { clock_step += ns; }
void stub_clock_ticks(int on) { ticking = on; }
void stub_take_over(int on) { taken_over = on; }

static void enter(void) {
    if (setting("STUB_LOCKED")) pthread_mutex_lock(&lock);
}

/* Gives other threads time to take their locks and to wait for this one. */
static void dwell(void) {
    if (setting("STUB_LOCKED")) nanosleep(&(struct timespec){0, 10000000}, NULL);
}

static void leave(void) {
    if (setting("STUB_LOCKED")) pthread_mutex_unlock(&lock);
}

static void begin_in_child(void) { lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; }

__attribute__((constructor)) static void begin(void) { pthread_atfork(NULL, NULL, begin_in_child); }

/* Called while the lock is held. */
static struct filling *own_filling(struct client *client) {
#if GENERATION >= 13
    static __thread struct filling *all[MAX_CLIENTS];
    struct filling **own = &all[client - clients];
    if (*own == NULL) {
        *own = calloc(1, sizeof **own);
        (*own)->next = client->fillings;
        client->fillings = *own;
    }
    return *own;
#else
    client->fillings = &client->shared;
    return &client->shared;
#endif
}

static struct kept take(struct client *client, struct filling *filling) {
    struct kept full = {client, filling->buffer, filling->bytes, filling->valid, filling->records};
    filling->buffer = NULL;
    filling->records = 0;
    if (setting("STUB_CUT") && full.valid > 100) full.valid -= 100; /* Larger than any record. */
    return full;
}

static uint64_t thread_cpu_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void deliver(struct kept full) {
    if (full.buffer == NULL || !full.client->is_there) return;
    uint64_t before_ns = thread_cpu_ns();
    enter();
    dwell();
    if (full.client->complete_v2 != NULL) full.client->complete_v2(full.buffer, full.bytes, full.valid, NULL);
    else full.client->complete(NULL, 0, full.buffer, full.bytes, full.valid);
    leave();
    __atomic_fetch_add(&delivery_ns, thread_cpu_ns() - before_ns, __ATOMIC_RELAXED);
    __atomic_fetch_add(&delivered_records, full.records, __ATOMIC_RELAXED);
}

/* Runs after the agent's end: its handler ends what is open, and was registered later than this library was loaded. */
__attribute__((destructor)) static void say_cost(void) {
    const char *path = getenv("STUB_COST");
    FILE *file = path == NULL ? NULL : fopen(path, "w");
    if (file == NULL) return;
    fprintf(file, "%llu\n%llu\n", (unsigned long long)delivery_ns, (unsigned long long)delivered_records);
    fclose(file);
}

/* Uses this much of the thread's CPU time. */
static void take_ns(int ns) {
    for (uint64_t until = ns > 0 ? thread_cpu_ns() + (uint64_t)ns : 0; ns > 0 && thread_cpu_ns() < until;) continue;
}

static void make_invalid(uint8_t *record, const struct stub_operation *operation) {
    const uint64_t hour = UINT64_C(3600000000000), start = operation->start, end = operation->end;
    const uint64_t stamps[][2] = {{start, start - 1}, {0, end}, {start, 0}, {start + hour, end + hour}, {start - hour, end - hour}, {start, end + hour}};
    put(record, KERNEL_START, stamps[setting("STUB_HOW")][0], 8);
    put(record, KERNEL_END, stamps[setting("STUB_HOW")][1], 8);
}

static void record_for(struct client *client, const struct stub_operation *operation) {
    struct kept full = {0};
    size_t bytes = bytes_of(operation->kind);
    bool is_call = operation->kind == KIND_RUNTIME || operation->kind == KIND_DRIVER;
    bool alone = is_call && client->alone[operation->kind == KIND_DRIVER][operation->callback];
    if (!client->is_there || (!client->enabled[operation->kind] && !alone) || (client == receiver && taken_over)) return;
    if (operation->kind == KIND_RUNTIME && client->runtime_off[operation->callback]) return;
    if (operation->kind == KIND_SYNCHRONIZATION && setting("STUB_NO_WAITS")) return;
    bool of_graph = operation->node != 0 || (operation->kind == KIND_RUNTIME && operation->callback == STUB_GRAPH_LAUNCH)
                    || (operation->kind == KIND_DRIVER && operation->callback == STUB_DRIVER_GRAPH_LAUNCH);
    struct stub_operation shared = *operation;
    if (of_graph && setting("STUB_ONE_ID") && client->times > 1) {
        if (client->first_graph == 0) client->first_graph = operation->correlation;
        shared.correlation = client->first_graph;
        operation = &shared;
    }
    static int recorded_calls;
    if (is_call) take_ns(setting("STUB_CALL_NS") + setting("STUB_SLOWER_NS") * __atomic_add_fetch(&recorded_calls, 1, __ATOMIC_RELAXED));
    if (operation->kind == KIND_CONCURRENT_KERNEL) take_ns(setting("STUB_WORK_NS"));
    if (operation->node != 0) take_ns(setting("STUB_NODE_NS"));
    pthread_mutex_lock(&lock);
    struct filling *filling = own_filling(client);
    if (filling->buffer != NULL && filling->valid + bytes > filling->bytes) full = take(client, filling);
    if (filling->buffer == NULL) {
        size_t most = 0;
        if (client->request_v2 != NULL) client->request_v2(&filling->buffer, &filling->bytes, &most, NULL);
        else client->request(&filling->buffer, &filling->bytes, &most);
        filling->valid = 0;
        if (filling->buffer == NULL && GENERATION < 13) abort(); /* As libcupti before CUDA 12.9, which writes to it. */
    }
    if (filling->buffer == NULL) {
        client->dropped++;
    } else {
        uint8_t record[RECORD_BYTES];
        fill(record, operation);
        static int kernels, graph_kernels;
        bool invalid = false;
        if (operation->kind == KIND_CONCURRENT_KERNEL && setting("STUB_ZERO") && ++kernels % setting("STUB_ZERO") == 0)
            memset(record + KERNEL_START, 0, 16);
        if (operation->kind == KIND_CONCURRENT_KERNEL && operation->node != 0) invalid = ++graph_kernels >= setting("STUB_INVALID") && setting("STUB_INVALID");
        if (operation->kind == KIND_CONCURRENT_KERNEL && client->first_invalid > 0) client->first_invalid--, invalid |= setting("STUB_FIRST") != 0;
        if (invalid) make_invalid(record, operation);
        memcpy(filling->buffer + filling->valid, record, bytes);
        filling->valid += bytes;
        filling->records++;
    }
    pthread_mutex_unlock(&lock);
    if (setting("STUB_NEVER") == 0) deliver(full);
}

static void on_operation(const struct stub_operation *operation) {
    for (struct client *client = clients; client < clients + MAX_CLIENTS; client++) record_for(client, operation);
}

/* Returns how many clients use the interface for several subscribers. */
static int subscribers(void) {
    int count = 0;
    for (struct client *client = clients + 1; client < clients + MAX_CLIENTS; client++) count += client->is_there;
    return count;
}

static bool is_received(void) { return receiver->is_there && !(setting("STUB_RELEASES") && memchr(receiver->enabled, 1, sizeof receiver->enabled) == NULL); }

int cuptiActivityRegisterCallbacks(cupti_request_fn on_request, cupti_complete_fn on_complete) {
    if (setting("STUB_OTHER") || subscribers() > 0) return TWO_INTERFACES;
    receiver->is_there = 1;
    receiver->request = on_request;
    receiver->complete = on_complete;
    return CUPTI_OK;
}

/* For tests: whether anyone has records of a kind. */
int stub_is_enabled(int kind) {
    int count = 0;
    for (struct client *client = clients; client < clients + MAX_CLIENTS; client++) count += client->enabled[kind];
    return count > 0;
}

static void trace_graphs(void) {
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    void (*trace)(int) = (void (*)(int))dlsym(driver, "stub_trace_graphs");
    if (trace != NULL) trace(stub_is_enabled(KIND_GRAPH_TRACE));
}

int cuptiGetResultString(int result, const char **text) {
    *text = result == 35 ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" : result == 39 ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED" : "CUPTI_ERROR_UNKNOWN";
    return CUPTI_OK;
}

/* As libcupti 13.0 does: an error is two lines in the file that the first line of NVLOG_CONFIG_FILE names after "$ ". */
static int log_error(int error) {
    const char *settings = getenv("NVLOG_CONFIG_FILE"), *name;
    FILE *file = settings == NULL || GENERATION < 13 ? NULL : fopen(settings, "r");
    char line[4096] = "";
    if (file == NULL) return error;
    int names = fgets(line, sizeof line, file) != NULL && strncmp(line, "$ ", 2) == 0;
    fclose(file);
    line[strcspn(line, "\n")] = 0;
    if (!names || (file = fopen(line + 2, "a")) == NULL) return error;
    cuptiGetResultString(error, &name);
    fprintf(file, "err|Cupti_Public|CUPTI Error %d: %s\nerr|Cupti_Public|Error: Failed to enable the kind.\n\n", error, name);
    fclose(file);
    return error;
}

static int enable_for(struct client *client, int kind) {
    if (setting("STUB_REFUSE")) return log_error(setting("STUB_REFUSE"));
    if (kind == KIND_CUDA_EVENT && GENERATION == 11) return 1;
    if (kind == KIND_CONCURRENT_KERNEL && !client->enabled[kind]) client->first_invalid = ++client->times, client->first_graph = 0;
    client->enabled[kind] = 1;
    if (kind == KIND_RUNTIME || kind == KIND_DRIVER) client->had_kind[kind == KIND_DRIVER] = 1, memset(client->alone[kind == KIND_DRIVER], 0, sizeof *client->alone);
    if (kind == KIND_CONCURRENT_KERNEL || kind == KIND_GRAPH_TRACE) trace_graphs();
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    void (*record_with)(stub_recorder_fn, stub_clock_fn) = (void (*)(stub_recorder_fn, stub_clock_fn))dlsym(driver, "stub_record_with");
    record_with(on_operation, now);
    int letter, instance;
    if (kind == KIND_DEVICE) record_for(client, &(struct stub_operation){.kind = kind, .device = HIDDEN_DEVICE});
    for (uint32_t device = 0; (kind == KIND_DEVICE || kind == KIND_CONTEXT) && device_entry(device, &letter, &instance); device++)
        record_for(client, &(struct stub_operation){.kind = kind, .device = device});
    return CUPTI_OK;
}

int cuptiActivityEnable(int kind) {
    if (subscribers() > 0) return TWO_INTERFACES;
    enter();
    int result = enable_for(receiver, kind);
    leave();
    return result;
}

/* Delivers records of the devices and contexts. */
int cuptiActivityEnableAndDump(int kind) { return cuptiActivityEnable(kind); }

static int disable_for(struct client *client, int kind) {
    enter();
    client->enabled[kind] = 0;
    if (kind == KIND_GRAPH_TRACE) trace_graphs();
    leave();
    return CUPTI_OK;
}

int cuptiActivityDisable(int kind) { return subscribers() > 0 ? TWO_INTERFACES : disable_for(receiver, kind); }

/* For tests: the number of finished flushes. */
int stub_flushes;

/* For tests: the only thread that may flush while another profiler receives the records, and how often other threads
 * flushed. */
pthread_t stub_receiver;
int stub_is_received, stub_foreign_flushes;

/* The thread that turned on tracing in hardware, 0: it is off. As reported of CUDA before 13.4 Update 1, a flush beside that thread corrupts memory. */
static pthread_t hardware_tracer;

int cuptiActivityEnableHWTrace(uint8_t on) { return hardware_tracer = on ? pthread_self() : 0, CUPTI_OK; }

static void flush(struct client *client, int forced) {
    struct kept out[MAX_KEPT];
    pthread_mutex_lock(&lock);
    for (struct filling *one = client->fillings; one != NULL; one = one->next)
        if (one->buffer != NULL && client->kept_count < MAX_KEPT) client->kept[client->kept_count++] = take(client, one);
    int ready = forced ? client->kept_count : client->kept_count - setting("STUB_KEEP");
    if (ready > 0) {
        memcpy(out, client->kept, (size_t)ready * sizeof *out);
        memmove(client->kept, client->kept + ready, (size_t)(client->kept_count - ready) * sizeof *out);
        client->kept_count -= ready;
    }
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < ready; i++) deliver(out[i]);
}

int cuptiActivityFlushAll(uint32_t forced) {
    static int begun_flushes;
    if (hardware_tracer != 0 && !pthread_equal(hardware_tracer, pthread_self())) abort();
    if (stub_is_received && !pthread_equal(stub_receiver, pthread_self())) __atomic_fetch_add(&stub_foreign_flushes, 1, __ATOMIC_RELAXED);
    if (setting("STUB_NEVER") || setting("STUB_LATE")) return CUPTI_OK;
    struct timespec slowly = {setting("STUB_SLOW") / 1000, setting("STUB_SLOW") % 1000 * 1000000};
    if (forced) nanosleep(&slowly, NULL);
    take_ns(1000 * setting("STUB_FLUSH_US") * __atomic_add_fetch(&begun_flushes, 1, __ATOMIC_RELAXED));
    enter();
    for (struct client *client = clients; client < clients + MAX_CLIENTS; client++) flush(client, forced);
    leave();
    __atomic_fetch_add(&stub_flushes, 1, __ATOMIC_RELEASE);
    return CUPTI_OK;
}

static int next_record(uint8_t *from, size_t valid, uint8_t **record) {
    uint8_t *next = *record == NULL ? from : *record + bytes_of((int)*(uint32_t *)*record);
    if (next + 8 > from + valid) return CUPTI_END_OF_BUFFER;
    *record = next;
    return CUPTI_OK;
}

int cuptiActivityGetNextRecord(uint8_t *from, size_t valid, uint8_t **record) {
    return subscribers() > 0 ? TWO_INTERFACES : next_record(from, valid, record);
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *count) {
    (void)context, (void)stream;
    if (subscribers() > 0) return TWO_INTERFACES;
    enter();
    *count = __atomic_exchange_n(&receiver->dropped, 0, __ATOMIC_RELAXED);
    leave();
    return CUPTI_OK;
}

int cuptiSubscribe(void **subscriber, void *callback, void *data) {
    static int one, calls;
    int refused = setting("STUB_SUBSCRIBED");
    (void)callback, (void)data;
    if (refused && ++calls >= refused) return 39;
    *subscriber = &one;
    return CUPTI_OK;
}

int cuptiUnsubscribe(void *subscriber) {
    struct client *client = subscriber;
    if (client <= clients || client >= clients + MAX_CLIENTS) return CUPTI_OK;
    if (setting("STUB_LATE")) flush(client, 1);
    memset(client, 0, offsetof(struct client, shared));
    return CUPTI_OK;
}

int cuptiGetTimestamp(uint64_t *ns) {
    if (subscribers() > 0) return TWO_INTERFACES;
    enter();
    *ns = now();
    leave();
    return CUPTI_OK;
}

int cuptiGetVersion(uint32_t *version) {
    *version = setting("STUB_API") ? (uint32_t)setting("STUB_API") : GENERATION == 11 ? 18 : GENERATION == 12 ? 26 : setting("STUB_SEVERAL") ? 130300 : 130000;
    return CUPTI_OK;
}

int cuptiSubscribe_v2(void **subscriber, cupti_callback_fn callback, void *data, struct subscriber_params *params) {
    struct client *client = clients + 1;
    (void)callback, (void)data;
    while (client < clients + MAX_CLIENTS && client->is_there) client++;
    if (!setting("STUB_SEVERAL") || !params->allow_several || is_received() || client == clients + MAX_CLIENTS) {
        if (params->old_name != NULL) snprintf(params->old_name, params->old_name_bytes, "CUPTI for Stand-in");
        return TWO_INTERFACES;
    }
    client->is_there = 1;
    *subscriber = client;
    return CUPTI_OK;
}

int cuptiActivityRegisterCallbacks_v2(void *subscriber, cupti_request_v2_fn on_request, cupti_complete_v2_fn on_complete) {
    struct client *client = subscriber;
    client->request_v2 = on_request;
    client->complete_v2 = on_complete;
    return CUPTI_OK;
}

int cuptiActivityEnable_v2(void *subscriber, int kind, void *config) {
    (void)config;
    enter();
    int result = enable_for(subscriber, kind);
    leave();
    return result;
}

int cuptiActivityEnableAndDump_v2(void *subscriber, int kind, void *config) { return cuptiActivityEnable_v2(subscriber, kind, config); }

int cuptiActivityDisable_v2(void *subscriber, int kind, void *config) {
    (void)config;
    return disable_for(subscriber, kind);
}

int cuptiActivityGetNextRecord_v2(void *subscriber, uint8_t *from, size_t valid, uint8_t **record) {
    (void)subscriber;
    return next_record(from, valid, record);
}

int cuptiActivityGetNumDroppedRecords_v2(void *subscriber, void *context, uint32_t stream, size_t *count) {
    (void)context, (void)stream;
    *count = __atomic_exchange_n(&((struct client *)subscriber)->dropped, 0, __ATOMIC_RELAXED);
    return CUPTI_OK;
}

int cuptiGetTimestamp_v2(void *subscriber, uint64_t *ns) {
    (void)subscriber;
    if (setting("STUB_SEVERAL") == 2) return 27;
    enter();
    *ns = now();
    leave();
    return CUPTI_OK;
}

/* A call is recorded without its kind if it was switched on before, and the kind was never on. */
static int switch_call(struct client *client, int driver, uint32_t callback, uint8_t on) {
    if (setting("STUB_SWITCHES") > 1) return setting("STUB_SWITCHES");
    if (callback >= sizeof client->runtime_off) return CUPTI_OK;
    if (!driver) client->runtime_off[callback] = !on;
    if (!client->had_kind[driver] && setting("STUB_SWITCHES") == 0) client->alone[driver][callback] = on;
    return CUPTI_OK;
}

int cuptiActivityEnableRuntimeApi_v2(void *subscriber, uint32_t callback, uint8_t on) { return switch_call(subscriber, 0, callback, on); }
int cuptiActivityEnableDriverApi_v2(void *subscriber, uint32_t callback, uint8_t on) { return switch_call(subscriber, 1, callback, on); }

int cuptiGetCallbackName(int domain, uint32_t callback, const char **name) {
    static const char *const runtime[] = {NULL, "cudaLaunchKernel_v7000", "cudaMemcpyAsync_v3020", "cudaGraphLaunch_v10000",
        "cudaStreamSynchronize_v3020", "cudaGetDevice_v3020", "cudaEventRecord_v3020", "cudaStreamWaitEvent_v3020", "cudaMemsetAsync_v3020", "cudaStreamIsCapturing_ptsz_v10000", "cudaLaunchKernel_ptsz_v7000"};
    static const char *const driver[] = {NULL, "cuDriverGetVersion", "cuLaunchKernel", "cuGraphLaunch", "cuMemcpy2D_v2", "cuMemcpy2DAsync_v2",
        "cuMemsetD8Async", "cuStreamSynchronize", "cuMemAlloc_v2", "cuMemFree_v2", "cuModuleLoadData", "cuEventRecord", "cuMemcpyHtoDAsync_v2_ptsz", "cuLaunchHostFunc"};
    if (domain == CUPTI_DOMAIN_RUNTIME && callback < sizeof runtime / sizeof *runtime) *name = runtime[callback];
    else if (domain == CUPTI_DOMAIN_DRIVER && callback < sizeof driver / sizeof *driver) *name = driver[callback];
    else return 1;
    return CUPTI_OK;
}

/* CUPTI has them from CUDA 12.5 on. */
#if GENERATION > 11
int cuptiActivityEnableRuntimeApi(uint32_t callback, uint8_t on) { return subscribers() > 0 ? TWO_INTERFACES : switch_call(receiver, 0, callback, on); }
int cuptiActivityEnableDriverApi(uint32_t callback, uint8_t on) { return subscribers() > 0 ? TWO_INTERFACES : switch_call(receiver, 1, callback, on); }
#endif

static uint64_t attributes[16] = {8 << 20, 8 << 20, 250, 25000, 250, 0, 0, 3, 1, 0, 0};

int cuptiActivityGetAttribute(int attribute, size_t *bytes, void *value) { return memcpy(value, &attributes[attribute & 15], *bytes), CUPTI_OK; }
int cuptiActivitySetAttribute(int attribute, size_t *bytes, void *value) { return memcpy(&attributes[attribute & 15], value, *bytes), CUPTI_OK; }

int cuptiGetContextId(void *context, uint32_t *id) { return (void)context, *id = 1, CUPTI_OK; }

static void *of_driver(const char *name) {
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    return driver == NULL ? NULL : dlsym(driver, name);
}

int cuptiGetStreamIdEx(void *context, void *stream, uint8_t per_thread, uint32_t *id) {
    uint32_t (*number)(void *, int) = (uint32_t (*)(void *, int))of_driver("stub_stream_number");
    (void)context;
    return number == NULL ? 1 : (*id = number(stream, per_thread), CUPTI_OK);
}

int cuptiGetGraphExecId(void *instance, uint32_t *id) {
    uint32_t (*number)(void *) = (uint32_t (*)(void *))of_driver("stub_graph_number");
    return number == NULL ? 1 : (*id = number(instance), CUPTI_OK);
}

/* As a callback costs a call about as much as its record does, it is one. */
int cuptiEnableCallback(uint32_t on, void *subscriber, int domain, uint32_t callback) {
    (void)subscriber;
    if (callback < sizeof receiver->alone[0]) receiver->alone[domain == CUPTI_DOMAIN_DRIVER][callback] = (unsigned char)on;
    return CUPTI_OK;
}

/* Called as NVTX would call it: ranges are recorded. */
int InitializeInjectionNvtx2(void *export_table) {
    const char *path = getenv("STUB_NVTX");
    FILE *file = path == NULL ? NULL : fopen(path, "a");
    if (file != NULL) fprintf(file, "generation %d\n", GENERATION);
    if (file != NULL) fclose(file);
    return export_table != NULL;
}
