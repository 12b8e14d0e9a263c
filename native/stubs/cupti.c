/* Stand-in for libcupti: buffers, delivery and records of three generations, chosen when it is compiled (GENERATION 11, 12 or 13).
 *
 *   STUB_KEEP=n       flushes return buffers n flushes late
 *   STUB_NEVER=1      unforced flushes return nothing, nor do forced ones
 *   STUB_REFUSE=n     every cuptiActivityEnable returns error n
 *   STUB_CUT=1        the last record of each buffer reaches beyond it
 *   STUB_DEVICES=5,9.1  devices, see stub.h
 *   STUB_COST=FILE    at the end: CPU time of the delivering threads in the agent's callback, ns, and how many records it was given */
#include "stub.h"
#include "../agent/cupti_abi.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef GENERATION
#define GENERATION 13
#endif

/* Sizes as the generations have them; every field not stored is 0xa5, so that reading one shows. */
enum {
    KERNEL_BYTES = GENERATION == 11 ? 200 : GENERATION == 12 ? 208 : 232,
    MEMCPY_BYTES_ALL = GENERATION < 13 ? 88 : 96,
    PEER_BYTES = GENERATION < 13 ? 96 : 104,
    MEMSET_BYTES_ALL = 88,
    API_BYTES = 40,
    SYNC_BYTES = GENERATION < 13 ? 40 : 56,
    EVENT_BYTES = GENERATION < 13 ? 24 : 40,
    EXTERNAL_BYTES = 24,
    MARKER_BYTES = 56,
    DEVICE_BYTES = GENERATION == 11 ? 176 : 184,
    CONTEXT_BYTES = 24,
    RECORD_BYTES = 256,
    MAX_KEPT = 64,
    HIDDEN_DEVICE = 99 /* that CUDA_VISIBLE_DEVICES hides, under a number that another one has */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cupti_request_fn request;
static cupti_complete_fn complete;
static uint8_t *buffer;
static size_t buffer_bytes, valid_bytes, dropped;
static uint64_t held_records, delivered_records, delivery_ns;
static unsigned char enabled[64], runtime_off[64];
static int64_t clock_step;
static int ticking, taken_over;

static struct kept {
    uint8_t *buffer;
    size_t bytes, valid;
    uint64_t records;
} kept[MAX_KEPT];
static int kept_count;

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

/* For tests: moves the clock, replaces it by the processor's counter, takes the records away. */
void stub_clock_step(int64_t ns) { clock_step += ns; }
void stub_clock_ticks(int on) { ticking = on; }
void stub_take_over(int on) { taken_over = on; }

static size_t bytes_of(int kind) {
    switch (kind) {
        case KIND_CONCURRENT_KERNEL: return KERNEL_BYTES;
        case KIND_MEMCPY: return MEMCPY_BYTES_ALL;
        case KIND_MEMCPY_PEER: return PEER_BYTES;
        case KIND_MEMSET: return MEMSET_BYTES_ALL;
        case KIND_RUNTIME:
        case KIND_DRIVER: return API_BYTES;
        case KIND_SYNCHRONIZATION: return SYNC_BYTES;
        case KIND_CUDA_EVENT: return EVENT_BYTES;
        case KIND_EXTERNAL_CORRELATION: return EXTERNAL_BYTES;
        case KIND_MARKER: return MARKER_BYTES;
        case KIND_DEVICE: return DEVICE_BYTES;
        case KIND_CONTEXT: return CONTEXT_BYTES;
        default: return 0;
    }
}

static void put(uint8_t *at, int field, uint64_t value, size_t bytes) { memcpy(at + field, &value, bytes); }

/* Stores start, end, device, context, stream, correlation from field `at` on, as copies and fills have them. */
static void stamps(uint8_t *to, const struct stub_operation *from) {
    put(to, MEMCPY_BYTES, from->bytes, 8);
    put(to, MEMCPY_START, from->start, 8);
    put(to, MEMCPY_END, from->end, 8);
    put(to, MEMCPY_DEVICE, from->device, 4);
    put(to, MEMCPY_CONTEXT, from->context, 4);
    put(to, MEMCPY_STREAM, from->stream, 4);
}

static void fill_kernel(uint8_t *to, const struct stub_operation *from) {
    uint32_t grid_block[6] = {128, 2, 1, 256, 1, 1};
    size_t length = strlen(from->name);
    if (length == 300) grid_block[0] = (uint32_t)from->name[length - 2] << 8 | (uint32_t)from->name[length - 1];
    put(to, KERNEL_REGISTERS, 40, 2);
    put(to, KERNEL_START, from->start, 8);
    put(to, KERNEL_END, from->end, 8);
    put(to, KERNEL_DEVICE, from->device, 4);
    put(to, KERNEL_CONTEXT, from->context, 4);
    put(to, KERNEL_STREAM, from->stream, 4);
    memcpy(to + KERNEL_GRID, grid_block, sizeof grid_block);
    put(to, KERNEL_STATIC_SHARED, 1024, 4);
    put(to, KERNEL_DYNAMIC_SHARED, 4096, 4);
    put(to, KERNEL_CORRELATION, from->correlation, 4);
    put(to, KERNEL_NAME, (uintptr_t)from->name, 8);
    put(to, KERNEL_GRAPH_NODE, from->node, 8);
    put(to, KERNEL_GRAPH, from->graph, 4);
}

static void fill_copy(uint8_t *to, const struct stub_operation *from) {
    stamps(to, from);
    put(to, MEMCPY_KIND, from->kind == KIND_MEMCPY_PEER ? 10 : 1, 1);
    put(to, MEMCPY_FROM, from->kind == KIND_MEMCPY_PEER ? 3 : 1, 1);
    put(to, MEMCPY_TO, 3, 1);
    put(to, MEMCPY_FLAGS, 1, 1);
    if (from->kind == KIND_MEMCPY_PEER) {
        put(to, PEER_FROM_DEVICE, 0, 4);
        put(to, PEER_TO_DEVICE, 1, 4);
        put(to, PEER_CORRELATION, from->correlation, 4);
        put(to, PEER_GRAPH_NODE, from->node, 8);
        put(to, PEER_GRAPH, from->graph, 4);
    } else {
        put(to, MEMCPY_CORRELATION, from->correlation, 4);
        put(to, MEMCPY_GRAPH_NODE, from->node, 8);
        put(to, MEMCPY_GRAPH, from->graph, 4);
    }
}

static void fill_memset(uint8_t *to, const struct stub_operation *from) {
    stamps(to, from);
    put(to, MEMSET_VALUE, 7, 4);
    put(to, MEMSET_CORRELATION, from->correlation, 4);
    put(to, MEMSET_MEMORY, 3, 2);
    put(to, MEMSET_GRAPH_NODE, from->node, 8);
    put(to, MEMSET_GRAPH, from->graph, 4);
}

static void fill_call(uint8_t *to, const struct stub_operation *from) {
    put(to, API_CALLBACK, from->callback, 4);
    put(to, API_START, from->start, 8);
    put(to, API_END, from->end, 8);
    put(to, API_THREAD, from->thread, 4);
    put(to, API_CORRELATION, from->correlation, 4);
    put(to, API_RESULT, 0, 4);
}

static void fill_sync(uint8_t *to, const struct stub_operation *from) {
    put(to, SYNC_TYPE, from->type, 4);
    put(to, SYNC_START, from->start, 8);
    put(to, SYNC_END, from->end, 8);
    put(to, SYNC_CORRELATION, from->correlation, 4);
    put(to, SYNC_CONTEXT, from->context, 4);
    put(to, SYNC_STREAM, from->stream, 4);
    put(to, SYNC_EVENT, from->event, 4);
}

static void fill_event(uint8_t *to, const struct stub_operation *from) {
    put(to, EVENT_CORRELATION, from->correlation, 4);
    put(to, EVENT_CONTEXT, from->context, 4);
    put(to, EVENT_STREAM, from->stream, 4);
    put(to, EVENT_ID, from->event, 4);
}

static void fill_marker(uint8_t *to, const struct stub_operation *from) {
    put(to, MARKER_FLAGS, from->type, 4);
    put(to, MARKER_TIME, from->start, 8);
    put(to, MARKER_ID, from->event, 4);
    put(to, MARKER_OBJECT_KIND, OBJECT_THREAD, 4);
    put(to, MARKER_THREAD, from->thread, 4);
    put(to, MARKER_NAME, from->type == MARKER_BEGIN ? (uintptr_t)from->name : 0, 8);
    put(to, MARKER_DOMAIN, 0, 8);
}

static void fill_external(uint8_t *to, const struct stub_operation *from) {
    put(to, EXTERNAL_KIND, from->type, 4);
    put(to, EXTERNAL_ID, from->bytes, 8);
    put(to, EXTERNAL_CORRELATION, from->correlation, 4);
}

/* Reads the entry of a device of STUB_DEVICES; returns whether there is one. */
static int device_entry(uint32_t device, int *letter, int *instance) {
    const char *text = getenv("STUB_DEVICES");
    if (text == NULL) text = "1";
    for (; device > 0 && text != NULL; device--) text = (text = strchr(text, ',')) == NULL ? NULL : text + 1;
    if (text == NULL) return 0;
    char *after;
    *letter = (int)strtol(text, &after, 10);
    *instance = *after == '.' ? atoi(after + 1) : 0;
    return 1;
}

static void fill_device(uint8_t *to, uint32_t device) {
    int letter = 0, instance = 0;
    if (device != HIDDEN_DEVICE) device_entry(device, &letter, &instance);
    memset(to + DEVICE_UUID, letter == 0 ? 0xee : letter, UUID_BYTES);
    put(to, DEVICE_VISIBLE, letter != 0, 1);
    put(to, DEVICE_MIG, instance != 0, 1);
    if (instance != 0) {
        put(to, DEVICE_GPU_INSTANCE, (uint64_t)instance, 4);
        put(to, DEVICE_COMPUTE_INSTANCE, 0, 4);
        memset(to + DEVICE_MIG_UUID, letter << 4 | instance, UUID_BYTES);
    }
    put(to, DEVICE_MEMORY, 80ull << 30, 8);
    put(to, DEVICE_MULTIPROCESSORS, 132, 4);
    put(to, DEVICE_MAJOR, 9, 4);
    put(to, DEVICE_MINOR, 0, 4);
    put(to, DEVICE_ID, device == HIDDEN_DEVICE ? 0 : device, 4);
    put(to, DEVICE_NAME, (uintptr_t) "Stand-in GPU", 8);
}

static void fill(uint8_t *to, const struct stub_operation *from) {
    memset(to, 0xa5, RECORD_BYTES);
    put(to, 0, (uint64_t)from->kind, 4);
    switch (from->kind) {
        case KIND_CONCURRENT_KERNEL: fill_kernel(to, from); break;
        case KIND_MEMCPY:
        case KIND_MEMCPY_PEER: fill_copy(to, from); break;
        case KIND_MEMSET: fill_memset(to, from); break;
        case KIND_RUNTIME:
        case KIND_DRIVER: fill_call(to, from); break;
        case KIND_SYNCHRONIZATION: fill_sync(to, from); break;
        case KIND_CUDA_EVENT: fill_event(to, from); break;
        case KIND_MARKER: fill_marker(to, from); break;
        case KIND_EXTERNAL_CORRELATION: fill_external(to, from); break;
        case KIND_CONTEXT: put(to, CONTEXT_ID, from->device + 1, 4); put(to, CONTEXT_DEVICE, from->device, 4); break;
        default: fill_device(to, from->device); break;
    }
}

static struct kept take(void) {
    struct kept full = {buffer, buffer_bytes, valid_bytes, held_records};
    buffer = NULL;
    held_records = 0;
    if (setting("STUB_CUT") && full.valid > 24) full.valid -= 24;
    return full;
}

static uint64_t thread_cpu_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void deliver(struct kept full) {
    if (full.buffer == NULL || complete == NULL) return;
    uint64_t before_ns = thread_cpu_ns();
    complete(NULL, 0, full.buffer, full.bytes, full.valid);
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

static void on_operation(const struct stub_operation *operation) {
    struct kept full = {0};
    size_t bytes = bytes_of(operation->kind);
    if (taken_over || !enabled[operation->kind] || request == NULL) return;
    if (operation->kind == KIND_RUNTIME && runtime_off[operation->callback]) return;
    pthread_mutex_lock(&lock);
    if (buffer != NULL && valid_bytes + bytes > buffer_bytes) full = take();
    if (buffer == NULL) {
        size_t most = 0;
        request(&buffer, &buffer_bytes, &most);
        valid_bytes = 0;
    }
    if (buffer == NULL) {
        dropped++;
    } else {
        uint8_t record[RECORD_BYTES];
        fill(record, operation);
        memcpy(buffer + valid_bytes, record, bytes);
        valid_bytes += bytes;
        held_records++;
    }
    pthread_mutex_unlock(&lock);
    if (setting("STUB_NEVER") == 0) deliver(full);
}

int cuptiActivityRegisterCallbacks(cupti_request_fn on_request, cupti_complete_fn on_complete) {
    request = on_request;
    complete = on_complete;
    return CUPTI_OK;
}

int cuptiActivityEnable(int kind) {
    if (setting("STUB_REFUSE")) return setting("STUB_REFUSE");
    enabled[kind] = 1;
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    void (*record_with)(stub_recorder_fn, stub_clock_fn) = (void (*)(stub_recorder_fn, stub_clock_fn))dlsym(driver, "stub_record_with");
    record_with(on_operation, now);
    int letter, instance;
    if (kind == KIND_DEVICE) on_operation(&(struct stub_operation){.kind = kind, .device = HIDDEN_DEVICE});
    for (uint32_t device = 0; (kind == KIND_DEVICE || kind == KIND_CONTEXT) && device_entry(device, &letter, &instance); device++)
        on_operation(&(struct stub_operation){.kind = kind, .device = device});
    return CUPTI_OK;
}

int cuptiActivityDisable(int kind) {
    enabled[kind] = 0;
    return CUPTI_OK;
}

int cuptiActivityFlushAll(uint32_t forced) {
    if (setting("STUB_NEVER")) return CUPTI_OK;
    pthread_mutex_lock(&lock);
    if (buffer != NULL && kept_count < MAX_KEPT) kept[kept_count++] = take();
    int ready = forced ? kept_count : kept_count - setting("STUB_KEEP");
    struct kept out[MAX_KEPT];
    if (ready > 0) {
        memcpy(out, kept, (size_t)ready * sizeof *kept);
        memmove(kept, kept + ready, (size_t)(kept_count - ready) * sizeof *kept);
        kept_count -= ready;
    }
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < ready; i++) deliver(out[i]);
    return CUPTI_OK;
}

int cuptiActivityGetNextRecord(uint8_t *from, size_t valid, uint8_t **record) {
    uint8_t *next = *record == NULL ? from : *record + bytes_of((int)*(uint32_t *)*record);
    if (next + 8 > from + valid) return CUPTI_END_OF_BUFFER;
    *record = next;
    return CUPTI_OK;
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *count) {
    (void)context, (void)stream;
    *count = __atomic_exchange_n(&dropped, 0, __ATOMIC_RELAXED);
    return CUPTI_OK;
}

int cuptiGetTimestamp(uint64_t *ns) {
    *ns = now();
    return CUPTI_OK;
}

int cuptiGetVersion(uint32_t *version) {
    *version = GENERATION == 11 ? 18 : GENERATION == 12 ? 26 : 130000;
    return CUPTI_OK;
}

int cuptiGetCallbackName(int domain, uint32_t callback, const char **name) {
    static const char *const runtime[] = {NULL, "cudaLaunchKernel_v7000", "cudaMemcpyAsync_v3020", "cudaGraphLaunch_v10000",
        "cudaStreamSynchronize_v3020", "cudaGetDevice_v3020", "cudaEventRecord_v3020", "cudaStreamWaitEvent_v3020", "cudaMemsetAsync_v3020"};
    static const char *const driver[] = {NULL, "cuDriverGetVersion", "cuLaunchKernel"};
    if (domain == CUPTI_DOMAIN_RUNTIME && callback < sizeof runtime / sizeof *runtime) *name = runtime[callback];
    else if (domain == CUPTI_DOMAIN_DRIVER && callback < sizeof driver / sizeof *driver) *name = driver[callback];
    else return 1;
    return CUPTI_OK;
}

int cuptiActivityEnableRuntimeApi(uint32_t callback, uint8_t on) {
    if (callback < sizeof runtime_off) runtime_off[callback] = !on;
    return CUPTI_OK;
}

int cuptiGetResultString(int result, const char **text) {
    *text = result == 35 ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" : "CUPTI_ERROR_UNKNOWN";
    return CUPTI_OK;
}

/* As NVTX would call it: says that ranges are recorded. */
int InitializeInjectionNvtx2(void *export_table) { return export_table != NULL; }
