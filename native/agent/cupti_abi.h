/* The part of CUPTI's binary interface that the agent uses: function signatures, activity kinds and, of each activity record, the offsets of the
 * fields it reads. Records of later versions are longer, and their beginning stays as it is, so nothing but these prefixes is read; the
 * offsets hold for CUPTI of CUDA 11.8, 12 and 13 (native/stubs/abi_check.c names the structures; tests compare). All fields are little-endian. */
#ifndef INFERSCOPE_CUPTI_ABI_H
#define INFERSCOPE_CUPTI_ABI_H

#include <stddef.h>
#include <stdint.h>

enum { CUPTI_OK = 0, CUPTI_END_OF_BUFFER = 12 };

/* Domains of cuptiGetCallbackName. */
enum { CUPTI_DOMAIN_DRIVER = 1, CUPTI_DOMAIN_RUNTIME = 2 };

/* Activity kinds. */
enum {
    KIND_MEMCPY = 1,
    KIND_MEMSET = 2,
    KIND_KERNEL = 3,
    KIND_DRIVER = 4,
    KIND_RUNTIME = 5,
    KIND_DEVICE = 8,
    KIND_CONTEXT = 9,
    KIND_CONCURRENT_KERNEL = 10,
    KIND_MARKER = 12,
    KIND_OVERHEAD = 17,
    KIND_MEMCPY_PEER = 22,
    KIND_CUDA_EVENT = 36, /* from CUDA 12 on */
    KIND_SYNCHRONIZATION = 38,
    KIND_EXTERNAL_CORRELATION = 39,
    KIND_GRAPH_TRACE = 51,
    KIND_GRAPH_HOST_NODE = 56, /* from CUDA 13.1 on */
    KIND_HOST_LAUNCH = 58      /* likewise */
};

/* Kernel: registers u16, shared memory u32, stamps u64, ids u32, grid and block 3 x u32, name char *, graph node u64. */
enum {
    KERNEL_REGISTERS = 6,
    KERNEL_START = 16,
    KERNEL_END = 24,
    KERNEL_DEVICE = 40,
    KERNEL_CONTEXT = 44,
    KERNEL_STREAM = 48,
    KERNEL_GRID = 52,
    KERNEL_BLOCK = 64,
    KERNEL_STATIC_SHARED = 76,
    KERNEL_DYNAMIC_SHARED = 80,
    KERNEL_CORRELATION = 92,
    KERNEL_NAME = 104,
    KERNEL_GRAPH_NODE = 144,
    KERNEL_GRAPH = 156,
    KERNEL_READ = 160
};

/* Copy on one device or with the host, and copy between devices: kinds u8, bytes u64. */
enum {
    MEMCPY_KIND = 4,
    MEMCPY_FROM = 5,
    MEMCPY_TO = 6,
    MEMCPY_FLAGS = 7,
    MEMCPY_BYTES = 8,
    MEMCPY_START = 16,
    MEMCPY_END = 24,
    MEMCPY_DEVICE = 32,
    MEMCPY_CONTEXT = 36,
    MEMCPY_STREAM = 40,
    MEMCPY_CORRELATION = 44,
    MEMCPY_GRAPH_NODE = 64,
    MEMCPY_GRAPH = 72,
    MEMCPY_READ = 76,
    PEER_FROM_DEVICE = 44,
    PEER_TO_DEVICE = 52,
    PEER_CORRELATION = 60,
    PEER_GRAPH_NODE = 72,
    PEER_GRAPH = 80,
    PEER_READ = 84
};

enum {
    MEMSET_VALUE = 4,
    MEMSET_BYTES = 8,
    MEMSET_START = 16,
    MEMSET_END = 24,
    MEMSET_DEVICE = 32,
    MEMSET_CONTEXT = 36,
    MEMSET_STREAM = 40,
    MEMSET_CORRELATION = 44,
    MEMSET_MEMORY = 50,
    MEMSET_GRAPH_NODE = 64,
    MEMSET_GRAPH = 72,
    MEMSET_READ = 76
};

enum { API_CALLBACK = 4, API_START = 8, API_END = 16, API_THREAD = 28, API_CORRELATION = 32, API_RESULT = 36, API_READ = 40 };

enum { SYNC_TYPE = 4, SYNC_START = 8, SYNC_END = 16, SYNC_CORRELATION = 24, SYNC_CONTEXT = 28, SYNC_STREAM = 32, SYNC_EVENT = 36, SYNC_READ = 40 };

/* The object of an overhead or a marker: for kind 2, a thread, process u32 and thread u32. */
enum { OBJECT_THREAD = 2 };

enum { OVERHEAD_KIND = 4, OVERHEAD_OBJECT_KIND = 8, OVERHEAD_THREAD = 16, OVERHEAD_START = 24, OVERHEAD_END = 32, OVERHEAD_READ = 40 };

enum { MARKER_FLAGS = 4, MARKER_TIME = 8, MARKER_ID = 16, MARKER_OBJECT_KIND = 20, MARKER_THREAD = 28, MARKER_NAME = 40, MARKER_DOMAIN = 48, MARKER_READ = 56 };
enum { MARKER_INSTANT = 1, MARKER_BEGIN = 2, MARKER_FINISH = 4 };

enum { EXTERNAL_KIND = 4, EXTERNAL_ID = 8, EXTERNAL_CORRELATION = 16, EXTERNAL_READ = 20 };

enum { EVENT_CORRELATION = 4, EVENT_CONTEXT = 8, EVENT_STREAM = 12, EVENT_ID = 16, EVENT_READ = 20 };

/* A graph that was recorded as a whole. */
enum {
    GRAPH_TRACE_CORRELATION = 4,
    GRAPH_TRACE_START = 8,
    GRAPH_TRACE_END = 16,
    GRAPH_TRACE_DEVICE = 24,
    GRAPH_TRACE_GRAPH = 28,
    GRAPH_TRACE_CONTEXT = 32,
    GRAPH_TRACE_STREAM = 36,
    GRAPH_TRACE_READ = 40
};

/* A function of the host that a stream ran in its order, by itself or as a node of a graph. */
enum {
    HOST_STREAM = 4,
    HOST_CONTEXT = 8,
    HOST_DEVICE = 12,
    HOST_CORRELATION = 16,
    HOST_LAUNCH_THREAD = 24,
    HOST_LAUNCH_START = 32,
    HOST_LAUNCH_END = 40,
    HOST_LAUNCH_READ = 48,
    HOST_NODE_GRAPH = 20,
    HOST_NODE_THREAD = 36,
    HOST_NODE_START = 40,
    HOST_NODE_END = 48,
    HOST_NODE_READ = 56
};

enum { CONTEXT_ID = 4, CONTEXT_DEVICE = 8, CONTEXT_READ = 12 };

/* Device: unique ids are 16 bytes; whether CUDA shows it and whether it is an instance of MIG are u8, the instance's fields hold if it is. */
enum {
    DEVICE_MEMORY = 16,
    DEVICE_MULTIPROCESSORS = 44,
    DEVICE_MAJOR = 104,
    DEVICE_MINOR = 108,
    DEVICE_ID = 112,
    DEVICE_UUID = 120,
    DEVICE_NAME = 136,
    DEVICE_VISIBLE = 144,
    DEVICE_MIG = 145,
    DEVICE_GPU_INSTANCE = 152,
    DEVICE_COMPUTE_INSTANCE = 156,
    DEVICE_MIG_UUID = 160,
    DEVICE_READ = 176
};
enum { UUID_BYTES = 16 };

typedef void (*cupti_request_fn)(uint8_t **buffer, size_t *bytes, size_t *max_records);
typedef void (*cupti_callback_fn)(void *data, int domain, uint32_t callback, const void *call);
typedef void (*cupti_complete_fn)(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid_bytes);

/* The callbacks of a subscriber of the interface for several subscribers. `about` is a structure that the agent does not read. */
typedef void (*cupti_request_v2_fn)(uint8_t **buffer, size_t *bytes, size_t *max_records, void *about);
typedef void (*cupti_complete_v2_fn)(uint8_t *buffer, size_t bytes, size_t valid_bytes, void *about);

/* What cuptiSubscribe_v2 is called with. If it refuses, it stores the name of the other subscriber. */
struct subscriber_params {
    size_t bytes; /* of this structure */
    const char *name;
    char *old_name;
    size_t old_name_bytes;
    uint8_t allow_several;
    uint8_t padding[7];
};

/* The functions of libcupti that the agent calls; those marked may be missing in a version. */
struct cupti {
    int (*register_callbacks)(cupti_request_fn request, cupti_complete_fn complete);
    int (*enable)(int kind);
    int (*flush_all)(uint32_t forced);
    int (*disable)(int kind);
    int (*next_record)(uint8_t *buffer, size_t valid_bytes, uint8_t **record);
    int (*dropped_records)(void *context, uint32_t stream, size_t *count);
    int (*timestamp)(uint64_t *ns);
    int (*enable_and_dump)(int kind);                                        /* may be missing */
    int (*version)(uint32_t *version);                                       /* may be missing */
    int (*callback_name)(int domain, uint32_t callback, const char **name);  /* may be missing */
    int (*enable_runtime_call)(uint32_t callback, uint8_t enable);           /* may be missing */
    int (*enable_driver_call)(uint32_t callback, uint8_t enable);            /* may be missing */
    int (*result_text)(int result, const char **text);                       /* may be missing */
    int (*subscribe)(void **subscriber, cupti_callback_fn callback, void *data); /* may be missing */
    int (*unsubscribe)(void *subscriber);                                    /* may be missing */
};

#endif
