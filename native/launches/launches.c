/* Hooks of the driver's calls that launch work or wait for it, for `inferscope run --gpu-detail launches`, which preloads this library.
 *
 * libcupti's own records of calls are what makes a launch-bound program slow (docs/evidence/gpu-check.md). Everybody who calls the driver, the runtime linked
 * dynamically or statically, cuBLAS, NCCL, Triton, gets its functions from dlsym or cuGetProcAddress. So this library defines dlsym, and hands out its
 * own functions in place of the driver's:
 *
 *   program --> hook --> driver        the hook reads the counter before and after, and fills a slot of the ring
 *                 \
 *                  ring --> agent's thread, every 200 ms --> spool
 *
 * A hook allocates nothing, takes no lock and makes no system call. Until the agent turns the ring on, and after its end, it only calls the driver. The
 * calls of a forked child are not recorded. Any name that is not one of these calls goes to the C library's dlsym by a jump, so that RTLD_NEXT means
 * what the caller means. */
#include "launches.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

#if defined(__x86_64__)
#define LIBC_BASE "GLIBC_2.2.5"
#else
#define LIBC_BASE "GLIBC_2.17"
#endif
__asm__(".symver dlvsym,dlvsym@" LIBC_BASE);
__asm__(".symver dladdr,dladdr@" LIBC_BASE);

extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *library);

/* The newest version of CUDA whose cuGetProcAddress is known to return functions with these parameters. */
enum { NEWEST_KNOWN = 13040, PER_THREAD_STREAM = 2 };
enum { STREAMS = 256, FUNCTIONS = 4096 };

typedef void *handle_t;
typedef struct { unsigned grid[3], block[3], shared; handle_t stream; void *attributes; unsigned count; } launch_config_t;

/* Hooked calls: name without version, suffix, first version of CUDA with these parameters, first one with others (0: none),
 * parameters, arguments, kind of work, stream, function, size. */
#define ANY UINT64_MAX
#define GRID (uint64_t)gx *gy *gz
#define KERNEL_PARAMETERS (handle_t function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, handle_t stream, void **values, void **extra)
#define KERNEL_ARGUMENTS (function, gx, gy, gz, bx, by, bz, shared, stream, values, extra)
#define COOPERATIVE_PARAMETERS (handle_t function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, handle_t stream, void **values)
#define COOPERATIVE_ARGUMENTS (function, gx, gy, gz, bx, by, bz, shared, stream, values)
#define EX_PARAMETERS (const launch_config_t *config, handle_t function, void **values, void **extra)
#define EX_ARGUMENTS (config, function, values, extra)
#define EX_GRID (uint64_t)config->grid[0] * config->grid[1] * config->grid[2]
#define COPY_PARAMETERS (void *to, void *from, size_t bytes)
#define COPY_ARGUMENTS (to, from, bytes)
#define COPY_ASYNC_PARAMETERS (void *to, void *from, size_t bytes, handle_t stream)
#define COPY_ASYNC_ARGUMENTS (to, from, bytes, stream)
#define PEER_PARAMETERS (void *to, handle_t to_context, void *from, handle_t from_context, size_t bytes, handle_t stream)
#define PEER_ARGUMENTS (to, to_context, from, from_context, bytes, stream)
#define SHAPED_PARAMETERS (const void *what, handle_t stream)
#define SHAPED_ARGUMENTS (what, stream)
#define FILL_PARAMETERS (void *to, unsigned value, size_t count, handle_t stream)
#define FILL_ARGUMENTS (to, value, count, stream)
#define FILL_2D_PARAMETERS (void *to, size_t pitch, unsigned value, size_t width, size_t height, handle_t stream)
#define FILL_2D_ARGUMENTS (to, pitch, value, width, height, stream)
#define STREAM_PARAMETERS (handle_t stream)
#define GRAPH_PARAMETERS (handle_t graph, handle_t stream)

#define CALLS_BY_STREAM(CALL, suffix, per_thread, since)                                                                                          \
    CALL(cuLaunchKernel, , suffix, per_thread, 4000, 0, since, KERNEL_PARAMETERS, KERNEL_ARGUMENTS, LAUNCH_KERNEL, stream, function, GRID)                \
    CALL(cuLaunchCooperativeKernel, , suffix, per_thread, 9000, 0, since, COOPERATIVE_PARAMETERS, COOPERATIVE_ARGUMENTS, LAUNCH_KERNEL, stream, function, GRID) \
    CALL(cuLaunchKernelEx, , suffix, per_thread, 11060, 0, since, EX_PARAMETERS, EX_ARGUMENTS, LAUNCH_KERNEL, config->stream, function, EX_GRID)          \
    CALL(cuGraphLaunch, , suffix, per_thread, 10000, 0, since, GRAPH_PARAMETERS, (graph, stream), LAUNCH_GRAPH, stream, graph, ANY)                       \
    CALL(cuMemcpyAsync, , suffix, per_thread, 4000, 0, since, COPY_ASYNC_PARAMETERS, COPY_ASYNC_ARGUMENTS, LAUNCH_COPY, stream, NULL, bytes)              \
    CALL(cuMemcpyHtoDAsync, _v2, suffix, per_thread, 3020, 0, since, COPY_ASYNC_PARAMETERS, COPY_ASYNC_ARGUMENTS, LAUNCH_COPY, stream, NULL, bytes)       \
    CALL(cuMemcpyDtoHAsync, _v2, suffix, per_thread, 3020, 0, since, COPY_ASYNC_PARAMETERS, COPY_ASYNC_ARGUMENTS, LAUNCH_COPY, stream, NULL, bytes)       \
    CALL(cuMemcpyDtoDAsync, _v2, suffix, per_thread, 3020, 0, since, COPY_ASYNC_PARAMETERS, COPY_ASYNC_ARGUMENTS, LAUNCH_COPY, stream, NULL, bytes)       \
    CALL(cuMemcpyPeerAsync, , suffix, per_thread, 4000, 0, since, PEER_PARAMETERS, PEER_ARGUMENTS, LAUNCH_COPY, stream, NULL, bytes)                      \
    CALL(cuMemcpy2DAsync, _v2, suffix, per_thread, 3020, 0, since, SHAPED_PARAMETERS, SHAPED_ARGUMENTS, LAUNCH_COPY, stream, NULL, ANY)                   \
    CALL(cuMemcpy3DAsync, _v2, suffix, per_thread, 3020, 0, since, SHAPED_PARAMETERS, SHAPED_ARGUMENTS, LAUNCH_COPY, stream, NULL, ANY)                   \
    CALL(cuMemsetD8Async, , suffix, per_thread, 3020, 0, since, FILL_PARAMETERS, FILL_ARGUMENTS, LAUNCH_FILL, stream, NULL, count)                        \
    CALL(cuMemsetD16Async, , suffix, per_thread, 3020, 0, since, FILL_PARAMETERS, FILL_ARGUMENTS, LAUNCH_FILL, stream, NULL, count * 2)                   \
    CALL(cuMemsetD32Async, , suffix, per_thread, 3020, 0, since, FILL_PARAMETERS, FILL_ARGUMENTS, LAUNCH_FILL, stream, NULL, count * 4)                   \
    CALL(cuMemsetD2D8Async, , suffix, per_thread, 3020, 0, since, FILL_2D_PARAMETERS, FILL_2D_ARGUMENTS, LAUNCH_FILL, stream, NULL, width * height)       \
    CALL(cuMemsetD2D16Async, , suffix, per_thread, 3020, 0, since, FILL_2D_PARAMETERS, FILL_2D_ARGUMENTS, LAUNCH_FILL, stream, NULL, width * height * 2)  \
    CALL(cuMemsetD2D32Async, , suffix, per_thread, 3020, 0, since, FILL_2D_PARAMETERS, FILL_2D_ARGUMENTS, LAUNCH_FILL, stream, NULL, width * height * 4)  \
    CALL(cuStreamSynchronize, , suffix, per_thread, 2000, 0, since, STREAM_PARAMETERS, (stream), LAUNCH_WAIT, stream, NULL, ANY)

#define CALLS_BY_COPY(CALL, suffix, per_thread, since)                                                                                            \
    CALL(cuMemcpy, , suffix, per_thread, 4000, 0, since, COPY_PARAMETERS, COPY_ARGUMENTS, LAUNCH_COPY, NULL, NULL, bytes)                                 \
    CALL(cuMemcpyHtoD, _v2, suffix, per_thread, 3020, 0, since, COPY_PARAMETERS, COPY_ARGUMENTS, LAUNCH_COPY, NULL, NULL, bytes)                          \
    CALL(cuMemcpyDtoH, _v2, suffix, per_thread, 3020, 0, since, COPY_PARAMETERS, COPY_ARGUMENTS, LAUNCH_COPY, NULL, NULL, bytes)                          \
    CALL(cuMemcpyDtoD, _v2, suffix, per_thread, 3020, 0, since, COPY_PARAMETERS, COPY_ARGUMENTS, LAUNCH_COPY, NULL, NULL, bytes)

#define ALL_CALLS(CALL)                       \
    CALLS_BY_STREAM(CALL, , 0, 0)             \
    CALLS_BY_COPY(CALL, , 0, 0)               \
    CALLS_BY_STREAM(CALL, _ptsz, 1, 7000)     \
    CALLS_BY_COPY(CALL, _ptds, 1, 7000)       \
    CALL(cuCtxSynchronize, , , 0, 2000, 13000, 0, (void), (), LAUNCH_WAIT_FOR_ALL, NULL, NULL, ANY)

#define NUMBER(name, version, suffix, per_thread, first, other, since, parameters, arguments, work, stream, function, size) CALL_##name##version##suffix,
enum { ALL_CALLS(NUMBER) CALL_COUNT };

#define NAME(name, version, suffix, ...) #name #version #suffix,
static const char *const NAMES[] = {ALL_CALLS(NAME) NULL};

/* By itself, because it is empty at first: within what is set, its 7 MB would be in the file. */
static struct launch ring[LAUNCHES_ROOM];

EXPORTED struct launches inferscope_launches = {.version = LAUNCHES_VERSION, .names = NAMES, .ring = ring};
#define all inferscope_launches

typedef void *(*dlsym_t)(void *, const char *);
static dlsym_t real_dlsym;
static void *real[CALL_COUNT]; /* atomic */

/* The driver's functions that hooks need. */
static struct {
    int (*current)(handle_t *context);
    int (*is_capturing)(handle_t stream, int *state);
    int (*function_name)(const char **name, handle_t function);
    int (*kernel_name)(const char **name, handle_t kernel);
    int (*get)(const char *name, void **function, int version, uint64_t flags);
    int (*get_v2)(const char *name, void **function, int version, uint64_t flags, int *status);
    int (*begin_capture)(handle_t stream, int mode);
    int (*begin_capture_per_thread)(handle_t stream, int mode);
    int (*end_capture)(handle_t stream, handle_t *graph);
    int (*end_capture_per_thread)(handle_t stream, handle_t *graph);
    int (*event_wait)(handle_t event), (*event_query)(handle_t event);
    int (*stream_query)(handle_t stream), (*stream_query_per_thread)(handle_t stream);
    int (*stream_destroy)(handle_t stream);
    int (*graph_destroy)(handle_t graph);
    int (*module_unload)(handle_t module);
    int (*library_unload)(handle_t library);
} driver;

/* What is known of a handle. Threads write entries at once without a lock: `check` shows a mixed one, which counts as none. */
struct known { uint64_t key, value, check; };
static struct known streams[STREAMS], functions[FUNCTIONS];

static inline uint64_t mixed(uint64_t handle, uint64_t other) { return (handle ^ other * 0x9E3779B97F4A7C15u) + __atomic_load_n(&all.generation, __ATOMIC_RELAXED) * 0xD1342543DE82EF95u; }
static inline struct known *place(struct known *table, unsigned size, uint64_t key) { return &table[(key * 0x9E3779B97F4A7C15u >> 40) & (size - 1)]; }

static inline bool find(const struct known *at, uint64_t key, uint64_t *value) {
    *value = __atomic_load_n(&at->value, __ATOMIC_RELAXED);
    return __atomic_load_n(&at->key, __ATOMIC_RELAXED) == key && __atomic_load_n(&at->check, __ATOMIC_RELAXED) == (key ^ *value ^ UINT64_C(0x5bd1e995));
}

static void keep(struct known *at, uint64_t key, uint64_t value) {
    __atomic_store_n(&at->key, key, __ATOMIC_RELAXED);
    __atomic_store_n(&at->value, value, __ATOMIC_RELAXED);
    __atomic_store_n(&at->check, key ^ value ^ UINT64_C(0x5bd1e995), __ATOMIC_RELAXED);
}

static inline uint64_t thread_pointer(void) { return (uint64_t)(uintptr_t)pthread_self(); }

/* Returns CUPTI's numbers of a stream's context and of the stream. A default stream is one of the current context, and the
 * thread's own if the call is of that kind. */
static uint64_t stream_of(handle_t stream, bool per_thread) {
    handle_t context = NULL;
    bool own = (uintptr_t)stream == 2 || (stream == NULL && per_thread), is_default = (uintptr_t)stream < 3;
    if (is_default && driver.current != NULL) driver.current(&context);
    uint64_t value, key = mixed((uint64_t)(uintptr_t)stream + 1, (uint64_t)(uintptr_t)context ^ (own ? thread_pointer() << 1 | 1 : 0));
    struct known *at = place(streams, STREAMS, key);
    if (find(at, key, &value)) return value;
    uint32_t context_id = 0, stream_id = UINT32_MAX;
    if (context == NULL && driver.current != NULL) driver.current(&context);
    if (all.context_id != NULL) all.context_id(context, &context_id);
    if (all.stream_id == NULL || all.stream_id(is_default ? context : NULL, stream, own, &stream_id) != 0) stream_id = UINT32_MAX;
    keep(at, key, value = (uint64_t)context_id << 32 | stream_id);
    return value;
}

static uint32_t function_of(handle_t function, bool is_graph) {
    uint64_t value, key = mixed((uint64_t)(uintptr_t)function + 1, is_graph);
    struct known *at = place(functions, FUNCTIONS, key);
    if (find(at, key, &value)) return (uint32_t)value;
    const char *name = NULL;
    uint32_t id = 0;
    if (is_graph) {
        if (all.graph_id == NULL || all.graph_id(function, &id) != 0) id = 0;
    } else if ((driver.function_name != NULL && driver.function_name(&name, function) == 0 && name != NULL)
               || (driver.kernel_name != NULL && driver.kernel_name(&name, function) == 0 && name != NULL)) {
        id = launches_hash(name);
    }
    keep(at, key, id);
    return id;
}

/* Adds to what one thread counts: by one instruction where that needs no lock, so that a signal's handler that launches cannot come between. */
static inline void add(uint64_t *count, uint64_t number, bool shared) {
#if defined(__x86_64__)
    if (__builtin_expect(!shared, 1)) {
        __asm__ volatile("addq %1, %0" : "+m"(*count) : "re"(number) : "cc");
        return;
    }
#endif
    (void)shared;
    __atomic_fetch_add(count, number, __ATOMIC_RELAXED);
}

/* Adds a call, and the pause before it if that is short: in a longer one the program waited for something else, such as a request. */
static inline void count_call(uint64_t begin, uint64_t end, bool launches) {
    static __thread struct launches_of_thread *own __attribute__((tls_model("initial-exec"))); /* Preloaded, so there is room for it. */
    static __thread uint64_t left __attribute__((tls_model("initial-exec")));
    if (__builtin_expect(own == NULL, 0)) {
        uint32_t number = __atomic_fetch_add(&all.thread_count, 1, __ATOMIC_RELAXED);
        own = &all.of_threads[number < LAUNCHES_THREADS ? number : LAUNCHES_THREADS];
        __atomic_store_n(&own->thread, (uint32_t)thread_pointer(), __ATOMIC_RELEASE);
    }
    bool shared = own == &all.of_threads[LAUNCHES_THREADS];
    uint64_t since = begin - left < __atomic_load_n(&all.pause, __ATOMIC_RELAXED) ? left : begin;
    left = end;
    add(&own->busy, end - since, shared);
    if (launches) add(&own->counted, 1, shared);
}

static void note(uint64_t begin, uint64_t end, int call, enum launch_work work, handle_t stream, bool per_thread, handle_t function, uint64_t size) {
    int state = 0;
    if (__atomic_load_n(&all.capturing, __ATOMIC_RELAXED) > 0 && driver.is_capturing != NULL && driver.is_capturing(stream, &state) == 0 && state != 0) return;
    uint64_t lane = work == LAUNCH_WAIT_FOR_ALL ? UINT32_MAX : stream_of(stream, per_thread);
    uint32_t name = function == NULL ? 0 : function_of(function, work == LAUNCH_GRAPH);
    if (__atomic_load_n(&all.head, __ATOMIC_RELAXED) - __atomic_load_n(&all.tail, __ATOMIC_RELAXED) >= LAUNCHES_ROOM - LAUNCHES_MARGIN) {
        __atomic_fetch_add(&all.lost, 1, __ATOMIC_RELAXED);
        return;
    }
    uint64_t number = __atomic_fetch_add(&all.head, 1, __ATOMIC_RELAXED);
    struct launch *slot = &all.ring[number % LAUNCHES_ROOM];
    slot->begin = begin;
    slot->end = end;
    slot->size = size;
    slot->thread = (uint32_t)thread_pointer();
    slot->context = (uint32_t)(lane >> 32);
    slot->stream = (uint32_t)lane;
    slot->function = name;
    slot->call = (uint16_t)call;
    slot->work = (uint16_t)work;
    __atomic_store_n(&slot->sequence, number + 1, __ATOMIC_RELEASE);
}

#define HOOK(name, version, suffix, per_thread, first, other, since, parameters, arguments, work, stream, function, size)              \
    static int hook_##name##version##suffix parameters {                                                                               \
        int(*call) parameters = (int(*) parameters)__atomic_load_n(&real[CALL_##name##version##suffix], __ATOMIC_RELAXED);             \
        bool on = __atomic_load_n(&all.on, __ATOMIC_ACQUIRE), counts = __atomic_load_n(&all.counting, __ATOMIC_RELAXED);               \
        if (!on && !counts) return call arguments;                                                                                     \
        uint64_t begin = launches_ticks();                                                                                             \
        int result = call arguments;                                                                                                   \
        uint64_t end = launches_ticks();                                                                                               \
        if (counts) count_call(begin, end, (work) < LAUNCH_WAIT);                                                                          \
        if (on && result == 0) note(begin, end, CALL_##name##version##suffix, work, stream, per_thread, function, size);               \
        return result;                                                                                                                 \
    }
ALL_CALLS(HOOK)

/* Waits that only count: they bound no stream's launches. */
#define WAIT(name)                                                                                                                     \
    static int hook_##name(handle_t what) {                                                                                            \
        if (!__atomic_load_n(&all.counting, __ATOMIC_RELAXED)) return driver.name(what);                                               \
        uint64_t begin = launches_ticks();                                                                                             \
        int result = driver.name(what);                                                                                                \
        count_call(begin, launches_ticks(), false);                                                                                    \
        return result;                                                                                                                 \
    }
WAIT(event_wait)
WAIT(event_query)
WAIT(stream_query)
WAIT(stream_query_per_thread)

static int hook_begin_capture(handle_t stream, int mode) { return __atomic_fetch_add(&all.capturing, 1, __ATOMIC_RELAXED), driver.begin_capture(stream, mode); }
static int hook_begin_capture_per_thread(handle_t stream, int mode) { return __atomic_fetch_add(&all.capturing, 1, __ATOMIC_RELAXED), driver.begin_capture_per_thread(stream, mode); }
static int ended(int result) {
    uint32_t capturing = __atomic_load_n(&all.capturing, __ATOMIC_RELAXED); /* One that began before the hooks is not counted. */
    while (capturing > 0 && !__atomic_compare_exchange_n(&all.capturing, &capturing, capturing - 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) continue;
    return result;
}
static int hook_end_capture(handle_t stream, handle_t *graph) { return ended(driver.end_capture(stream, graph)); }
static int hook_end_capture_per_thread(handle_t stream, handle_t *graph) { return ended(driver.end_capture_per_thread(stream, graph)); }
static int hook_stream_destroy(handle_t stream) { return __atomic_fetch_add(&all.generation, 1, __ATOMIC_RELAXED), driver.stream_destroy(stream); }
static int hook_graph_destroy(handle_t graph) { return __atomic_fetch_add(&all.generation, 1, __ATOMIC_RELAXED), driver.graph_destroy(graph); }
static int hook_module_unload(handle_t module) { return __atomic_fetch_add(&all.generation, 1, __ATOMIC_RELAXED), driver.module_unload(module); }
static int hook_library_unload(handle_t library) { return __atomic_fetch_add(&all.generation, 1, __ATOMIC_RELAXED), driver.library_unload(library); }
static int hook_get(const char *name, void **function, int version, uint64_t flags);
static int hook_get_v2(const char *name, void **function, int version, uint64_t flags, int *status);

/* A hook: the symbol with its suffixes; the name and the versions by which cuGetProcAddress knows it. */
struct hook {
    const char *symbol, *name;
    int first, other, per_thread;
    void *function, **real;
};

#define ROW(name, version, suffix, per_thread, first, other, since, parameters, arguments, work, stream, function, size)                  \
    {#name #version #suffix, #name, (since) > (first) ? (since) : (first), other, per_thread, hook_##name##version##suffix, &real[CALL_##name##version##suffix]},
static const struct hook HOOKS[] = {ALL_CALLS(ROW)
    {"cuStreamBeginCapture_v2", "cuStreamBeginCapture", 10010, 0, 0, hook_begin_capture, (void **)&driver.begin_capture},
    {"cuStreamBeginCapture_v2_ptsz", "cuStreamBeginCapture", 10010, 0, 1, hook_begin_capture_per_thread, (void **)&driver.begin_capture_per_thread},
    {"cuStreamEndCapture", "cuStreamEndCapture", 10000, 0, 0, hook_end_capture, (void **)&driver.end_capture},
    {"cuStreamEndCapture_ptsz", "cuStreamEndCapture", 10000, 0, 1, hook_end_capture_per_thread, (void **)&driver.end_capture_per_thread},
    {"cuEventSynchronize", "cuEventSynchronize", 2000, 0, -1, hook_event_wait, (void **)&driver.event_wait},
    {"cuEventQuery", "cuEventQuery", 2000, 0, -1, hook_event_query, (void **)&driver.event_query},
    {"cuStreamQuery", "cuStreamQuery", 2000, 0, 0, hook_stream_query, (void **)&driver.stream_query},
    {"cuStreamQuery_ptsz", "cuStreamQuery", 7000, 0, 1, hook_stream_query_per_thread, (void **)&driver.stream_query_per_thread},
    {"cuStreamDestroy_v2", "cuStreamDestroy", 4000, 0, -1, hook_stream_destroy, (void **)&driver.stream_destroy},
    {"cuGraphExecDestroy", "cuGraphExecDestroy", 10000, 0, -1, hook_graph_destroy, (void **)&driver.graph_destroy},
    {"cuModuleUnload", "cuModuleUnload", 2000, 0, -1, hook_module_unload, (void **)&driver.module_unload},
    {"cuLibraryUnload", "cuLibraryUnload", 12000, 0, -1, hook_library_unload, (void **)&driver.library_unload},
    {"cuGetProcAddress", "cuGetProcAddress", 11030, 12000, -1, hook_get, (void **)&driver.get},
    {"cuGetProcAddress_v2", "cuGetProcAddress", 12000, 0, -1, hook_get_v2, (void **)&driver.get_v2},
};
enum { HOOK_COUNT = sizeof HOOKS / sizeof *HOOKS };

/* The first function that is found stays: there is one driver in a process. */
static void *handed_out(const struct hook *hook, void *function) {
    void *none = NULL;
    __atomic_compare_exchange_n(hook->real, &none, function, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    if (hook < HOOKS + CALL_COUNT) __atomic_fetch_or(&all.hooked, UINT64_C(1) << (hook - HOOKS), __ATOMIC_RELAXED);
    return hook->function;
}

/* What else hooks need, from the library in which one of them was found. */
static void learn(void *library) {
    const struct { const char *name; void *at; } wanted[] = {{"cuCtxGetCurrent", &driver.current}, {"cuStreamIsCapturing", &driver.is_capturing},
        {"cuFuncGetName", &driver.function_name}, {"cuKernelGetName", &driver.kernel_name}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *function = real_dlsym(library, wanted[i].name);
        if (function != NULL) __atomic_store_n((void **)wanted[i].at, function, __ATOMIC_RELEASE);
    }
}

static bool is_drivers(void *function) {
    Dl_info about;
    const char *file = dladdr(function, &about) == 0 || about.dli_fname == NULL ? NULL : strrchr(about.dli_fname, '/');
    return file != NULL && strncmp(file, "/libcuda.so", 11) == 0;
}

static int got(int result, const char *name, void **function, int version, uint64_t flags) {
    if (result != 0 || name == NULL || function == NULL || *function == NULL || version > NEWEST_KNOWN) return result;
    int per_thread = (flags & PER_THREAD_STREAM) != 0;
    for (const struct hook *hook = HOOKS; hook < HOOKS + HOOK_COUNT; hook++) {
        bool streams_fit = hook->per_thread < 0 || hook->per_thread == (per_thread && version >= 7000);
        if (strcmp(hook->name, name) != 0 || version < hook->first || (hook->other != 0 && version >= hook->other) || !streams_fit) continue;
        *function = handed_out(hook, *function);
        break;
    }
    return result;
}

static int hook_get(const char *name, void **function, int version, uint64_t flags) { return got(driver.get(name, function, version, flags), name, function, version, flags); }

static int hook_get_v2(const char *name, void **function, int version, uint64_t flags, int *status) {
    return got(driver.get_v2(name, function, version, flags, status), name, function, version, flags);
}

static void find_dlsym(void) {
    if (real_dlsym != NULL) return;
    __atomic_store_n(&real_dlsym, (dlsym_t)dlvsym(RTLD_NEXT, "dlsym", LIBC_BASE), __ATOMIC_RELEASE); /* Every glibc still has that version. */
}

static void stop_in_child(void) { __atomic_store_n(&all.on, false, __ATOMIC_RELAXED), __atomic_store_n(&all.counting, false, __ATOMIC_RELAXED); }

__attribute__((constructor(101))) static void prepare(void) {
    find_dlsym();
    __register_atfork(NULL, NULL, stop_in_child, NULL);
}

static void *__attribute__((noinline)) drivers(void *library, const char *name) {
    void *function = real_dlsym(library, name);
    if (function == NULL) return NULL;
    for (const struct hook *hook = HOOKS; hook < HOOKS + HOOK_COUNT; hook++) {
        if (strcmp(hook->symbol, name) != 0) continue;
        if (!is_drivers(function)) return function;
        learn(library);
        return handed_out(hook, function);
    }
    return function;
}

EXPORTED void *dlsym(void *library, const char *name) {
    if (__builtin_expect(real_dlsym == NULL, 0)) find_dlsym();
    if (name[0] == 'c' && name[1] == 'u' && name[2] >= 'A' && name[2] <= 'Z' && library != RTLD_NEXT) return drivers(library, name);
    return real_dlsym(library, name); /* A jump, so that RTLD_NEXT starts behind the caller. */
}
