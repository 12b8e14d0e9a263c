/* The interface between the stand-ins for libcuda and libcupti. They let the agent's whole path run without a GPU: the
 * library that loads the agent, the buffers, the delivery of records. Nothing is computed: an operation is only its
 * timestamps. */
#ifndef INFERSCOPE_STUB_H
#define INFERSCOPE_STUB_H

#include <stdint.h>

/* One operation that the stand-in of libcuda passes to the stand-in of libcupti. Times are on its clock. */
struct stub_operation {
    int kind; /* activity kind */
    uint64_t start, end, bytes, node;
    uint32_t callback, correlation, device, context, stream, graph, thread, event, type;
    const char *name;
};

/* The devices that a process sees, from STUB_DEVICES such as "5,9.1": for each a letter of its unique id and, with MIG,
 * its GPU instance. */
enum { STUB_MAX_DEVICES = 8 };

typedef void (*stub_recorder_fn)(const struct stub_operation *operation);
typedef uint64_t (*stub_clock_fn)(void);

/* Callback ids of the stand-ins. */
enum { STUB_LAUNCH = 1, STUB_MEMCPY = 2, STUB_GRAPH_LAUNCH = 3, STUB_SYNCHRONIZE = 4, STUB_GET_DEVICE = 5, STUB_EVENT_RECORD = 6, STUB_WAIT_EVENT = 7, STUB_MEMSET = 8, STUB_IS_CAPTURING = 9, STUB_LAUNCH_PER_THREAD = 10 };
enum {
    STUB_DRIVER_VERSION = 1,
    STUB_DRIVER_LAUNCH,
    STUB_DRIVER_GRAPH_LAUNCH,
    STUB_DRIVER_MEMCPY,
    STUB_DRIVER_MEMCPY_ASYNC,
    STUB_DRIVER_MEMSET,
    STUB_DRIVER_SYNCHRONIZE,
    STUB_DRIVER_ALLOC,
    STUB_DRIVER_FREE,
    STUB_DRIVER_LOAD,
    STUB_DRIVER_EVENT_RECORD,
    STUB_DRIVER_COPY_PER_THREAD,
    STUB_DRIVER_HOST_FUNCTION
};

#endif
