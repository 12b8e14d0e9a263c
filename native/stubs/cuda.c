/* Stand-in for libcuda.so.1: loads the injected library as the driver does, and simulates operations. */
#include "stub.h"
#include "../agent/cupti_abi.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

static stub_recorder_fn recorder;
static stub_clock_fn clock_now;
static uint32_t correlation;
static uint64_t stream_free[64];
static uint32_t current_device;
static int whole_graphs, instantiated, instantiated_whole;

/* Called by the stand-in of libcupti. */
void stub_record_with(stub_recorder_fn function, stub_clock_fn clock) {
    recorder = function;
    clock_now = clock;
}

/* Called by the stand-in of libcupti: whether graphs are recorded as a whole or node by node. */
void stub_trace_graphs(int whole) { whole_graphs = whole; }

static uint64_t now(void) {
    if (clock_now != NULL) return clock_now();
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int cuInit(unsigned flags) {
    static int done;
    (void)flags;
    const char *path = getenv("CUDA_INJECTION64_PATH");
    if (done++ || path == NULL) return 0;
    void *library = dlopen(path, RTLD_LAZY);
    int (*initialize)(void) = library == NULL ? NULL : (int (*)(void))dlsym(library, "InitializeInjection");
    return initialize == NULL || initialize() == 1 ? 0 : 999;
}

static void record_call(int kind, uint32_t callback, uint32_t id) {
    if (recorder != NULL) {
        uint64_t start = now();
        struct stub_operation api = {.kind = kind, .start = start, .end = start + 2000, .callback = callback, .correlation = id,
            .thread = (uint32_t)(uintptr_t)pthread_self()};
        recorder(&api);
    }
}

static uint32_t call(int kind, uint32_t callback) {
    uint32_t id = __atomic_add_fetch(&correlation, 1, __ATOMIC_RELAXED);
    record_call(kind, callback, id);
    return id;
}

int cuDriverGetVersion(int *version) {
    *version = atoi(getenv("STUB_DRIVER") ? getenv("STUB_DRIVER") : "13000");
    call(KIND_DRIVER, STUB_DRIVER_VERSION);
    return 0;
}

/* Returns the time at which it begins. */
static uint64_t operate(struct stub_operation operation, uint64_t ns) {
    if (recorder == NULL) return 0;
    static bool enqueuing; /* A stream runs in the order in which work is enqueued. */
    while (__atomic_test_and_set(&enqueuing, __ATOMIC_ACQUIRE)) continue;
    uint64_t *free_at = &stream_free[operation.stream % 64], earliest = now() + 5000;
    bool clock_changed = *free_at > earliest + 100000000000u;
    operation.start = *free_at > earliest && !clock_changed ? *free_at : earliest;
    operation.end = *free_at = operation.start + ns;
    __atomic_clear(&enqueuing, __ATOMIC_RELEASE);
    operation.device = current_device;
    operation.context = current_device + 1;
    recorder(&operation);
    return operation.start;
}

/* Later operations are on another device. */
void stub_use_device(uint32_t device) { current_device = device; }

void stub_launch(const char *name, uint32_t stream, uint64_t ns) {
    uint32_t id = call(KIND_RUNTIME, STUB_LAUNCH);
    operate((struct stub_operation){.kind = KIND_CONCURRENT_KERNEL, .name = name, .stream = stream, .correlation = id}, ns);
}

/* The calls of a program whose default stream is the thread's own: it asks whether the stream is captured, launches,
 * and copies through the driver API. */
void stub_launch_per_thread(const char *name, uint32_t stream, uint64_t ns) {
    call(KIND_RUNTIME, STUB_IS_CAPTURING);
    uint32_t id = call(KIND_RUNTIME, STUB_LAUNCH_PER_THREAD);
    operate((struct stub_operation){.kind = KIND_CONCURRENT_KERNEL, .name = name, .stream = stream, .correlation = id}, ns);
    id = call(KIND_DRIVER, STUB_DRIVER_COPY_PER_THREAD);
    operate((struct stub_operation){.kind = KIND_MEMCPY, .bytes = 64, .stream = stream, .correlation = id}, ns);
}

void stub_launch_by_driver(const char *name, uint32_t stream, uint64_t ns) {
    uint32_t id = call(KIND_DRIVER, STUB_DRIVER_LAUNCH);
    operate((struct stub_operation){.kind = KIND_CONCURRENT_KERNEL, .name = name, .stream = stream, .correlation = id}, ns);
}

void stub_graph(int kernels, uint32_t stream) {
    uint32_t id = call(KIND_RUNTIME, STUB_GRAPH_LAUNCH);
    record_call(KIND_DRIVER, STUB_DRIVER_GRAPH_LAUNCH, id); /* Nested calls share the outer one's id. */
    if (!instantiated) instantiated = 1, instantiated_whole = whole_graphs;
    if (whole_graphs && !instantiated_whole) abort(); /* There libcupti 13.0 reads a null pointer. */
    if (whole_graphs) {
        operate((struct stub_operation){.kind = KIND_GRAPH_TRACE, .stream = stream, .correlation = id, .graph = 4}, 3000 * (uint64_t)kernels);
        return;
    }
    for (int i = 0; i < kernels; i++)
        operate((struct stub_operation){.kind = KIND_CONCURRENT_KERNEL, .name = "replayed", .stream = stream, .correlation = id, .graph = 4,
            .node = 100 + (uint64_t)i}, 3000);
}

void stub_copy(uint64_t bytes, uint32_t stream) {
    uint32_t id = call(KIND_RUNTIME, STUB_MEMCPY);
    operate((struct stub_operation){.kind = KIND_MEMCPY, .bytes = bytes, .stream = stream, .correlation = id}, 7000);
}

/* A copy of CUPTI's kinds: direction, memory read, memory written. */
void stub_copy_of(uint64_t bytes, uint32_t stream, uint32_t direction, uint32_t from, uint32_t to) {
    uint32_t id = call(KIND_RUNTIME, STUB_MEMCPY);
    operate((struct stub_operation){.kind = KIND_MEMCPY, .bytes = bytes, .stream = stream, .correlation = id, .type = direction | from << 4 | to << 8}, 7000);
}

void stub_peer_copy(uint64_t bytes, uint32_t stream) {
    uint32_t id = call(KIND_RUNTIME, STUB_MEMCPY);
    operate((struct stub_operation){.kind = KIND_MEMCPY_PEER, .bytes = bytes, .stream = stream, .correlation = id}, 7000);
}

void stub_fill(uint64_t bytes, uint32_t stream) {
    uint32_t id = call(KIND_RUNTIME, STUB_MEMSET);
    operate((struct stub_operation){.kind = KIND_MEMSET, .bytes = bytes, .stream = stream, .correlation = id}, 1000);
}

void stub_synchronize(uint32_t stream) {
    uint32_t id = call(KIND_RUNTIME, STUB_SYNCHRONIZE);
    operate((struct stub_operation){.kind = KIND_SYNCHRONIZATION, .stream = stream, .correlation = id, .type = 3}, 1000);
}

void stub_get_device(void) { call(KIND_RUNTIME, STUB_GET_DEVICE); }

/* Records an event on one stream and makes another wait for it. */
void stub_event(uint32_t from, uint32_t to, uint32_t event) {
    uint32_t id = call(KIND_RUNTIME, STUB_EVENT_RECORD);
    struct stub_operation recorded = {.kind = KIND_CUDA_EVENT, .correlation = id, .context = 1, .stream = from, .event = event};
    if (recorder != NULL) recorder(&recorded);
    id = call(KIND_RUNTIME, STUB_WAIT_EVENT);
    operate((struct stub_operation){.kind = KIND_SYNCHRONIZATION, .stream = to, .correlation = id, .type = 2, .event = event}, 100);
}

void stub_range(const char *name, int begins, uint32_t id) {
    struct stub_operation range = {.kind = KIND_MARKER, .start = now(), .name = name, .type = begins ? MARKER_BEGIN : MARKER_FINISH, .event = id,
        .thread = (uint32_t)(uintptr_t)pthread_self()};
    if (recorder != NULL) recorder(&range);
}

void stub_external(uint64_t id) {
    struct stub_operation external = {.kind = KIND_EXTERNAL_CORRELATION, .bytes = id, .correlation = correlation + 1, .type = 3};
    if (recorder != NULL) recorder(&external);
}
