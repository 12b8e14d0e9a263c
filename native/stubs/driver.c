/* The public driver API over a simulated device, in the stand-in for libcuda: real programs that use nothing else of
 * NVIDIA's run on it. Memory is the host's, copies are real, kernels only take time. Operations of a stream run in
 * order on the device's clock, and a call that synchronises waits for them.
 *
 *   STUB_KERNEL_NS=n   duration of each kernel (20,000)
 *   STUB_COPY_GBPS=n   speed of copies (20)
 *   STUB_HOST_NS=n     time for which a function of the host, which a thread of the driver runs, holds its stream up (2,000,000) */
#include "cuda.c"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { OK, INVALID_VALUE = 1, NOT_READY = 600, NOT_SUPPORTED = 801, MAX_CONTEXTS = 16, HOST = 1, FIRST_STREAM = 13 };
enum { TO_DEVICE = 1, TO_HOST = 2, ON_DEVICE = 8, PAGEABLE = 1, DEVICE = 3 };

typedef struct stream { uint32_t number; } *stream_t;
typedef struct event { uint64_t at_ns; uint32_t number; } *event_t;
typedef struct function { char name[256]; } *function_t;

static __thread void *contexts[MAX_CONTEXTS];
static __thread int depth;
static int the_context;
static uint32_t made_streams, made_events;

static uint64_t number_of(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

static uint32_t lane(stream_t stream) { return stream == NULL || (uintptr_t)stream < 3 ? 7 : stream->number; }

/* The default stream that is the calling thread's own. */
static stream_t own_stream(void) {
    static uint32_t threads;
    static __thread struct stream own;
    if (own.number == 0) own.number = 40 + __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED) % 20;
    return &own;
}

/* Called by the stand-in of libcupti: its number of a stream. */
uint32_t stub_stream_number(void *stream, int per_thread) { return lane(per_thread ? own_stream() : stream); }

/* A graph, or its instance: the kernels that were launched while a stream was captured, and functions of the host, which have no name. */
typedef struct graph { uint32_t number, count; const char *names[512]; void (*functions[512])(void *); void *data[512]; } *graph_t;
static __thread graph_t captured; /* by this thread */
static uint32_t made_graphs;

/* Runs work of a stream that takes this long on the device's clock. Returns the time of its end. */
static uint64_t work(struct stub_operation operation, stream_t stream, uint64_t ns) {
    operation.stream = lane(stream);
    if (recorder == NULL) {
        uint64_t *free_at = &stream_free[operation.stream % 64], earliest = now() + 5000;
        *free_at = (*free_at > earliest ? *free_at : earliest) + ns;
    } else {
        operate(operation, ns);
    }
    return stream_free[operation.stream % 64];
}

static void wait_until(uint64_t ns) {
    for (uint64_t at = now(); at < ns; at = now()) nanosleep(&(struct timespec){0, (long)(ns - at < 1000000 ? ns - at : 1000000)}, NULL);
}

typedef void (*host_fn)(void *);
struct host_function { struct stub_operation ran; host_fn function; void *data; };

static void *run_on_host(void *argument) {
    struct host_function *host = argument;
    host->ran.thread = (uint32_t)(uintptr_t)pthread_self();
    wait_until(host->ran.start);
    host->function(host->data);
    wait_until(host->ran.end);
    if (recorder != NULL) recorder(&host->ran);
    usleep(300000); /* The recorder learns the ids of threads that live. */
    return free(host), NULL;
}

static void enqueue_on_host(struct stub_operation ran, stream_t stream, host_fn function, void *data) {
    struct host_function *host = malloc(sizeof *host);
    uint64_t *free_at = &stream_free[lane(stream) % 64], earliest = now() + 5000;
    pthread_t thread;
    ran.stream = lane(stream), ran.context = 1;
    ran.start = *free_at > earliest ? *free_at : earliest;
    ran.end = *free_at = ran.start + number_of("STUB_HOST_NS", 2000000);
    *host = (struct host_function){ran, function, data};
    if (pthread_create(&thread, NULL, run_on_host, host) == 0) pthread_detach(thread);
}

static void wait_for_all(void) {
    for (int i = 0; i < 64; i++) wait_until(stream_free[i]);
}

static int copy(uint32_t callback, size_t bytes, int direction, stream_t stream, bool waits) {
    uint32_t id = call(KIND_DRIVER, callback), kinds = direction == TO_DEVICE ? PAGEABLE << 4 | DEVICE << 8 : direction == TO_HOST ? DEVICE << 4 | PAGEABLE << 8 : DEVICE << 4 | DEVICE << 8;
    struct stub_operation operation = {.kind = KIND_MEMCPY, .bytes = bytes, .correlation = id, .type = (uint32_t)direction | kinds};
    uint64_t end = work(operation, stream, bytes / number_of("STUB_COPY_GBPS", 20) + 1500);
    if (waits) wait_until(end);
    return OK;
}

int cuGetErrorName(int error, const char **text) { return *text = error == OK ? "CUDA_SUCCESS" : error == NOT_SUPPORTED ? "CUDA_ERROR_NOT_SUPPORTED" : "CUDA_ERROR", OK; }
int cuGetErrorString(int error, const char **text) { return cuGetErrorName(error, text); }

int cuDeviceGetCount(int *count) { return *count = 1, OK; }
int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, ordinal == 0 ? OK : 101; }
int cuDeviceGetName(char *name, int length, int device) { return (void)device, snprintf(name, (size_t)length, "Simulated GPU"), OK; }
int cuDeviceGetUuid(char *uuid, int device) { return (void)device, memset(uuid, 1, UUID_BYTES), OK; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { return (void)device, *bytes = (size_t)80 << 30, OK; }
int cuDeviceComputeCapability(int *major, int *minor, int device) { return (void)device, *major = 9, *minor = 0, OK; }

/* Attributes, by CUDA's numbers, from which programs choose the size of their work. */
int cuDeviceGetAttribute(int *value, int attribute, int device) {
    (void)device;
    switch (attribute) {
        case 1: *value = 1024; break; /* threads of a block */
        case 10: *value = 32; break;  /* threads of a warp */
        case 14: *value = 512; break; /* alignment of textures */
        case 16: *value = 132; break; /* multiprocessors */
        case 75: *value = 9; break;
        case 76: *value = 0; break;
        default: *value = 1; break;
    }
    return OK;
}

int cuDevicePrimaryCtxRetain(void **context, int device) { return (void)device, *context = &the_context, OK; }
int cuDevicePrimaryCtxRelease(int device) { return (void)device, OK; }
int cuDevicePrimaryCtxReset(int device) { return (void)device, OK; }
int cuDevicePrimaryCtxSetFlags(int device, unsigned flags) { return (void)device, (void)flags, OK; }
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) { return (void)device, *flags = 0, *active = 1, OK; }
int cuCtxCreate_v2(void **context, unsigned flags, int device) {
    (void)flags, (void)device;
    *context = &the_context;
    if (depth < MAX_CONTEXTS) contexts[depth++] = *context;
    return OK;
}
int cuCtxDestroy_v2(void *context) { return (void)context, OK; }
int cuCtxPushCurrent_v2(void *context) {
    if (depth < MAX_CONTEXTS) contexts[depth++] = context;
    return OK;
}
int cuCtxPopCurrent_v2(void **context) {
    void *top = depth > 0 ? contexts[--depth] : NULL;
    if (context != NULL) *context = top;
    return OK;
}
int cuCtxGetCurrent(void **context) { return *context = depth > 0 ? contexts[depth - 1] : NULL, OK; }
int cuCtxSetCurrent(void *context) { return depth = 1, contexts[0] = context, OK; }
int cuCtxGetDevice(int *device) { return *device = 0, OK; }
int cuCtxSetLimit(int limit, size_t value) { return (void)limit, (void)value, OK; }
int cuCtxSynchronize(void) {
    uint32_t id = call(KIND_DRIVER, STUB_DRIVER_SYNCHRONIZE);
    struct stub_operation waits = {.kind = KIND_SYNCHRONIZATION, .start = now(), .correlation = id, .type = 4, .context = 1, .stream = UINT32_MAX};
    wait_for_all();
    waits.end = now();
    if (recorder != NULL) recorder(&waits);
    return OK;
}

int cuMemAlloc_v2(void **memory, size_t bytes) {
    call(KIND_DRIVER, STUB_DRIVER_ALLOC);
    return *memory = aligned_alloc(512, (bytes + 511) & ~(size_t)511), *memory == NULL ? 2 : OK;
}
int cuMemAllocPitch_v2(void **memory, size_t *pitch, size_t width, size_t height, unsigned element) {
    (void)element;
    *pitch = (width + 511) & ~(size_t)511;
    return cuMemAlloc_v2(memory, *pitch * height);
}
int cuMemAllocManaged(void **memory, size_t bytes, unsigned flags) { return (void)flags, cuMemAlloc_v2(memory, bytes); }
int cuMemFree_v2(void *memory) {
    call(KIND_DRIVER, STUB_DRIVER_FREE);
    wait_for_all(); /* As the driver does. */
    return free(memory), OK;
}

#define COPIES(name, direction)                                                                                                          \
    int name##_v2(void *to, const void *from, size_t bytes) { return memcpy(to, from, bytes), copy(STUB_DRIVER_MEMCPY, bytes, direction, NULL, true); } \
    int name##Async_v2(void *to, const void *from, size_t bytes, stream_t stream) {                                                      \
        return memcpy(to, from, bytes), copy(STUB_DRIVER_MEMCPY_ASYNC, bytes, direction, stream, false);                                 \
    }
COPIES(cuMemcpyHtoD, TO_DEVICE)
COPIES(cuMemcpyDtoH, TO_HOST)
COPIES(cuMemcpyDtoD, ON_DEVICE)
int cuMemcpy(void *to, const void *from, size_t bytes) { return cuMemcpyDtoD_v2(to, from, bytes); }
int cuMemcpyAsync(void *to, const void *from, size_t bytes, stream_t stream) { return cuMemcpyDtoDAsync_v2(to, from, bytes, stream); }

struct side { size_t x, y; uint32_t type; uint8_t *host, *device; void *array; size_t pitch; };
struct copy_2d { struct side from, to; size_t width, height; };

static int copy_2d(const struct copy_2d *what, uint32_t callback, stream_t stream, bool waits) {
    if (what->from.array != NULL || what->to.array != NULL) return NOT_SUPPORTED;
    const uint8_t *from = what->from.type == HOST ? what->from.host : what->from.device;
    uint8_t *to = what->to.type == HOST ? what->to.host : what->to.device;
    for (size_t row = 0; row < what->height; row++)
        memcpy(to + (what->to.y + row) * what->to.pitch + what->to.x, from + (what->from.y + row) * what->from.pitch + what->from.x, what->width);
    return copy(callback, what->width * what->height, what->from.type == HOST ? TO_DEVICE : what->to.type == HOST ? TO_HOST : ON_DEVICE, stream, waits);
}
int cuMemcpy2D_v2(const struct copy_2d *what) { return copy_2d(what, STUB_DRIVER_MEMCPY, NULL, true); }
int cuMemcpy2DAsync_v2(const struct copy_2d *what, stream_t stream) { return copy_2d(what, STUB_DRIVER_MEMCPY_ASYNC, stream, false); }
int cuMemsetD8Async(void *memory, unsigned char value, size_t bytes, stream_t stream) {
    memset(memory, value, bytes);
    return work((struct stub_operation){.kind = KIND_MEMSET, .bytes = bytes, .correlation = call(KIND_DRIVER, STUB_DRIVER_MEMSET)}, stream, bytes / 100 + 1000), OK;
}

int cuModuleLoadData(void **module, const void *image) { return (void)image, call(KIND_DRIVER, STUB_DRIVER_LOAD), *module = &the_context, OK; }
int cuModuleUnload(void *module) { return (void)module, OK; }
int cuModuleGetFunction(function_t *function, void *module, const char *name) {
    (void)module;
    *function = calloc(1, sizeof **function); /* It is not freed, because records refer to it. */
    snprintf((*function)->name, sizeof (*function)->name, "%s", name);
    return OK;
}
int cuLaunchKernel(function_t function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, stream_t stream, void **arguments, void **extra) {
    (void)bx, (void)by, (void)bz, (void)shared, (void)arguments, (void)extra;
    uint32_t id = call(KIND_DRIVER, STUB_DRIVER_LAUNCH);
    if (captured != NULL) return captured->count < 512 ? captured->names[captured->count++] = function->name, OK : INVALID_VALUE;
    return work((struct stub_operation){.kind = KIND_CONCURRENT_KERNEL, .name = function->name, .bytes = (uint64_t)gx * gy * gz, .correlation = id}, stream, number_of("STUB_KERNEL_NS", 20000)), OK;
}
int cuLaunchKernel_ptsz(function_t function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, stream_t stream, void **arguments, void **extra) {
    return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream == NULL ? own_stream() : stream, arguments, extra);
}
int cuFuncGetName(const char **name, function_t function) { return *name = function->name, OK; }

int cuStreamBeginCapture_v2(stream_t stream, int mode) { return (void)stream, (void)mode, captured = calloc(1, sizeof *captured), OK; }
int cuStreamEndCapture(stream_t stream, graph_t *graph) { return (void)stream, *graph = captured, captured = NULL, OK; }
int cuStreamIsCapturing(stream_t stream, int *state) { return (void)stream, *state = captured != NULL, OK; }
int cuGraphInstantiateWithFlags(graph_t *instance, graph_t graph, uint64_t flags) {
    (void)flags;
    *instance = malloc(sizeof **instance);
    **instance = *graph;
    (*instance)->number = __atomic_add_fetch(&made_graphs, 1, __ATOMIC_RELAXED);
    return OK;
}
int cuGraphExecDestroy(graph_t instance) { return free(instance), OK; }
/* Called by the stand-in of libcupti. */
uint32_t stub_graph_number(graph_t instance) { return instance->number; }
int cuGraphLaunch(graph_t instance, stream_t stream) {
    uint32_t id = call(KIND_DRIVER, STUB_DRIVER_GRAPH_LAUNCH);
    for (uint32_t i = 0; i < instance->count; i++)
        if (instance->names[i] == NULL) enqueue_on_host((struct stub_operation){.kind = KIND_GRAPH_HOST_NODE, .correlation = id, .graph = instance->number}, stream, instance->functions[i], instance->data[i]);
        else work((struct stub_operation){.kind = KIND_CONCURRENT_KERNEL, .name = instance->names[i], .correlation = id, .graph = instance->number,
            .node = ((uint64_t)instance->number << 32) + i + 1}, stream, number_of("STUB_KERNEL_NS", 20000));
    return OK;
}

/* As the driver: the newest function of a name that the stated version of CUDA knows, of those that are here. */
int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status) {
    static const char *const suffixes[] = {"_v2_ptsz", "_ptsz", "_v2", ""};
    char symbol[256];
    *function = NULL;
    for (int i = flags & 2 && version >= 7000 ? 0 : 2; i < 4 && *function == NULL; i++) {
        snprintf(symbol, sizeof symbol, "%s%s", name, suffixes[i]);
        *function = dlsym(dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD), symbol);
    }
    if (status != NULL) *status = *function == NULL;
    return *function == NULL ? 500 : OK;
}
int cuGetProcAddress(const char *name, void **function, int version, uint64_t flags) { return cuGetProcAddress_v2(name, function, version, flags, NULL); }
int cuTexObjectCreate(uint64_t *texture, const void *resource, const void *how, const void *view) { return (void)resource, (void)how, (void)view, *texture = 1, OK; }
int cuTexObjectDestroy(uint64_t texture) { return (void)texture, OK; }

int cuStreamCreate(stream_t *stream, unsigned flags) {
    (void)flags;
    *stream = calloc(1, sizeof **stream);
    (*stream)->number = FIRST_STREAM + __atomic_fetch_add(&made_streams, 1, __ATOMIC_RELAXED);
    return OK;
}
int cuStreamDestroy_v2(stream_t stream) { return free(stream), OK; }
int cuStreamQuery(stream_t stream) { return stream_free[lane(stream) % 64] > now() ? NOT_READY : OK; }
int cuStreamSynchronize(stream_t stream) {
    uint32_t id = call(KIND_DRIVER, STUB_DRIVER_SYNCHRONIZE);
    struct stub_operation waits = {.kind = KIND_SYNCHRONIZATION, .start = now(), .correlation = id, .type = 3, .context = 1, .stream = lane(stream)};
    wait_until(stream_free[lane(stream) % 64]);
    waits.end = now();
    if (recorder != NULL) recorder(&waits);
    return OK;
}

int cuLaunchHostFunc(stream_t stream, host_fn function, void *data) {
    uint32_t id = call(KIND_DRIVER, STUB_DRIVER_HOST_FUNCTION);
    if (captured == NULL) return enqueue_on_host((struct stub_operation){.kind = KIND_HOST_LAUNCH, .correlation = id}, stream, function, data), OK;
    captured->functions[captured->count] = function, captured->data[captured->count] = data;
    return captured->names[captured->count++] = NULL, OK;
}

int cuEventCreate(event_t *event, unsigned flags) {
    (void)flags;
    *event = calloc(1, sizeof **event);
    (*event)->number = __atomic_add_fetch(&made_events, 1, __ATOMIC_RELAXED);
    return OK;
}
int cuEventDestroy_v2(event_t event) { return free(event), OK; }
int cuEventRecord(event_t event, stream_t stream) { return call(KIND_DRIVER, STUB_DRIVER_EVENT_RECORD), event->at_ns = stream_free[lane(stream) % 64], OK; }
int cuEventQuery(event_t event) { return event->at_ns > now() ? NOT_READY : OK; }
int cuEventSynchronize(event_t event) { return wait_until(event->at_ns), OK; }

/* Functions that programs look up, but call only with a screen, another device or a linker. */
#define ABSENT(name) int name(void) { return NOT_SUPPORTED; }
ABSENT(cuArray3DCreate_v2) ABSENT(cuArrayDestroy) ABSENT(cuDestroyExternalMemory) ABSENT(cuDestroyExternalSemaphore) ABSENT(cuEGLStreamConsumerDisconnect)
ABSENT(cuEGLStreamProducerConnect) ABSENT(cuEGLStreamProducerDisconnect) ABSENT(cuEGLStreamProducerPresentFrame) ABSENT(cuEGLStreamProducerReturnFrame)
ABSENT(cuExternalMemoryGetMappedBuffer) ABSENT(cuExternalMemoryGetMappedMipmappedArray) ABSENT(cuGLGetDevices_v2) ABSENT(cuGraphicsGLRegisterImage)
ABSENT(cuGraphicsMapResources) ABSENT(cuGraphicsResourceGetMappedPointer_v2) ABSENT(cuGraphicsSubResourceGetMappedArray) ABSENT(cuGraphicsUnmapResources)
ABSENT(cuGraphicsUnregisterResource) ABSENT(cuImportExternalMemory) ABSENT(cuImportExternalSemaphore) ABSENT(cuLinkAddData) ABSENT(cuLinkComplete)
ABSENT(cuLinkCreate) ABSENT(cuLinkDestroy) ABSENT(cuMipmappedArrayDestroy) ABSENT(cuMipmappedArrayGetLevel) ABSENT(cuModuleGetGlobal)
ABSENT(cuSignalExternalSemaphoresAsync) ABSENT(cuStreamAddCallback) ABSENT(cuWaitExternalSemaphoresAsync)
