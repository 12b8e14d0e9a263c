/* Converts CUPTI's activity records to spool records. Only fields of docs/spool-format.md are kept; stamps stay on
 * CUPTI's clock. */
#include "bytes.h"
#include "calls.h"
#include "cupti_abi.h"
#include "decode.h"
#include "decode_rare.h"
#include "intern.h"
#include "spool.h"
#include "threads.h"

static uint32_t own_thread;
static uint64_t heard_count, graph_kernels;

uint64_t decode_heard(void) { return heard_count; }

uint64_t decode_graph_kernels(void) { return __atomic_load_n(&graph_kernels, __ATOMIC_RELAXED); }

void decode_prepare(uint32_t own) {
    own_thread = own;
    heard_count = 0;
}

static void graph_fields(uint8_t *record, int field, uint64_t node, uint32_t graph) {
    put64(record, field + SPOOL_GRAPH_NODE, node);
    put32(record, field + SPOOL_GRAPH_ID, graph);
}

static void timed(uint8_t *record, uint64_t start, uint64_t end, uint32_t correlation) {
    put64(record, SPOOL_TIMED_START_CUPTI_NS, start);
    put64(record, SPOOL_TIMED_END_CUPTI_NS, end);
    put32(record, SPOOL_TIMED_CORRELATION, correlation);
}

/* Stores the fields common to all device operations. */
static void operation(uint8_t *record, uint64_t start, uint64_t end, uint32_t correlation, uint32_t lane) {
    timed(record, start, end, correlation);
    put32(record, SPOOL_OPERATION_LANE, lane);
}

static void kernel(const uint8_t *from) {
    const char *text;
    memcpy(&text, from + KERNEL_NAME, sizeof text);
    uint32_t words[CONFIGURATION_WORDS];
    memcpy(words, from + KERNEL_GRID, 12);
    memcpy(words + 3, from + KERNEL_BLOCK, 12);
    words[6] = get16(from, KERNEL_REGISTERS);
    memcpy(words + 7, from + KERNEL_STATIC_SHARED, 8);
    uint32_t name = intern_name(text), configuration = intern_configuration(words);
    uint32_t lane = intern_lane(get32(from, KERNEL_DEVICE), get32(from, KERNEL_CONTEXT), get32(from, KERNEL_STREAM));
    uint64_t node = get64(from, KERNEL_GRAPH_NODE);
    uint32_t graph = get32(from, KERNEL_GRAPH);
    if (node != 0) __atomic_store_n(&graph_kernels, graph_kernels + 1, __ATOMIC_RELAXED);
    uint8_t *record = spool_begin(node != 0 ? SPOOL_KERNEL_WITH_GRAPH_BYTES : SPOOL_KERNEL_BYTES);
    if (record == NULL) return;
    operation(record, get64(from, KERNEL_START), get64(from, KERNEL_END), get32(from, KERNEL_CORRELATION), lane);
    put32(record, SPOOL_KERNEL_NAME, name);
    put32(record, SPOOL_KERNEL_CONFIGURATION, configuration);
    if (node != 0) graph_fields(record, SPOOL_KERNEL_GRAPH, node, graph);
    spool_end(record, SPOOL_KERNEL);
}

static void copy(const uint8_t *from, bool peer) {
    uint32_t lane = intern_lane(get32(from, MEMCPY_DEVICE), get32(from, MEMCPY_CONTEXT), get32(from, MEMCPY_STREAM));
    uint64_t node = get64(from, peer ? PEER_GRAPH_NODE : MEMCPY_GRAPH_NODE);
    uint8_t *record = spool_begin(node != 0 ? SPOOL_MEMCPY_WITH_GRAPH_BYTES : SPOOL_MEMCPY_BYTES);
    if (record == NULL) return;
    uint32_t correlation = get32(from, peer ? PEER_CORRELATION : MEMCPY_CORRELATION);
    operation(record, get64(from, MEMCPY_START), get64(from, MEMCPY_END), correlation, lane);
    put64(record, SPOOL_MEMCPY_SIZE_BYTES, get64(from, MEMCPY_BYTES));
    memcpy(record + SPOOL_MEMCPY_DIRECTION, from + MEMCPY_KIND, 4); /* Direction, both kinds of memory and flags, in this order. */
    put16(record, SPOOL_MEMCPY_FROM_DEVICE, peer ? (uint16_t)get32(from, PEER_FROM_DEVICE) : 0);
    put16(record, SPOOL_MEMCPY_TO_DEVICE, peer ? (uint16_t)get32(from, PEER_TO_DEVICE) : 0);
    uint32_t graph = get32(from, peer ? PEER_GRAPH : MEMCPY_GRAPH);
    if (node != 0) graph_fields(record, SPOOL_MEMCPY_GRAPH, node, graph);
    spool_end(record, SPOOL_MEMCPY);
}

static void fill(const uint8_t *from) {
    uint32_t lane = intern_lane(get32(from, MEMSET_DEVICE), get32(from, MEMSET_CONTEXT), get32(from, MEMSET_STREAM));
    uint64_t node = get64(from, MEMSET_GRAPH_NODE);
    uint8_t *record = spool_begin(node != 0 ? SPOOL_MEMSET_WITH_GRAPH_BYTES : SPOOL_MEMSET_BYTES);
    if (record == NULL) return;
    operation(record, get64(from, MEMSET_START), get64(from, MEMSET_END), get32(from, MEMSET_CORRELATION), lane);
    put64(record, SPOOL_MEMSET_SIZE_BYTES, get64(from, MEMSET_BYTES));
    put32(record, SPOOL_MEMSET_VALUE, get32(from, MEMSET_VALUE));
    put32(record, SPOOL_MEMSET_MEMORY_KIND, get16(from, MEMSET_MEMORY));
    if (node != 0) graph_fields(record, SPOOL_MEMSET_GRAPH, node, get32(from, MEMSET_GRAPH));
    spool_end(record, SPOOL_MEMSET);
}

/* The record of a graph that begins on the host names no device, nor that of the launching stream, so device 0 is
 * used. */
static void whole_graph(const uint8_t *from) {
    uint32_t device = get32(from, GRAPH_TRACE_DEVICE), graph = get32(from, GRAPH_TRACE_GRAPH);
    uint32_t lane = intern_lane(device == INT32_MAX ? 0 : device, get32(from, GRAPH_TRACE_CONTEXT), get32(from, GRAPH_TRACE_STREAM));
    uint8_t *record = spool_begin(SPOOL_GRAPH_REPLAY_BYTES);
    if (record == NULL) return;
    operation(record, get64(from, GRAPH_TRACE_START), get64(from, GRAPH_TRACE_END), get32(from, GRAPH_TRACE_CORRELATION), lane);
    put32(record, SPOOL_GRAPH_REPLAY_GRAPH, graph);
    spool_end(record, SPOOL_GRAPH_REPLAY);
}

static void call(const uint8_t *from, int domain) {
    uint32_t pthread_low = get32(from, API_THREAD);
    if (own_thread != 0 && pthread_low == own_thread) { /* The agent's own call: shows that records arrive. */
        heard_count++;
        uint8_t *heard = spool_begin(SPOOL_HEARD_BYTES);
        if (heard == NULL) return;
        put64(heard, SPOOL_HEARD_CUPTI_NS, get64(from, API_START));
        spool_end(heard, SPOOL_HEARD);
        return;
    }
    uint32_t callback = get32(from, API_CALLBACK), name = call_id(domain, callback);
    if (name == CALL_NOISY) return;
    uint32_t tid = thread_of(pthread_low);
    uint8_t *record = spool_begin(SPOOL_API_CALL_BYTES);
    if (record == NULL) return;
    spool_flags(record, (uint16_t)((domain == CUPTI_DOMAIN_DRIVER ? SPOOL_API_CALL_FLAG_DRIVER : 0)
                                   | (tid == 0 ? SPOOL_API_CALL_FLAG_THREAD_UNKNOWN : 0)));
    timed(record, get64(from, API_START), get64(from, API_END), get32(from, API_CORRELATION));
    put32(record, SPOOL_API_CALL_TID, tid != 0 ? tid : pthread_low);
    put32(record, SPOOL_API_CALL_NAME, name);
    put32(record, SPOOL_API_CALL_RESULT, get32(from, API_RESULT));
    spool_end(record, SPOOL_API_CALL);
}

static void synchronisation(const uint8_t *from) {
    uint8_t *record = spool_begin(SPOOL_SYNC_BYTES);
    if (record == NULL) return;
    timed(record, get64(from, SYNC_START), get64(from, SYNC_END), get32(from, SYNC_CORRELATION));
    put32(record, SPOOL_SYNC_CONTEXT, get32(from, SYNC_CONTEXT));
    put32(record, SPOOL_SYNC_STREAM, get32(from, SYNC_STREAM));
    put32(record, SPOOL_SYNC_EVENT, get32(from, SYNC_EVENT));
    put32(record, SPOOL_SYNC_KIND, get32(from, SYNC_TYPE));
    spool_end(record, SPOOL_SYNC);
}

static void host_function(const uint8_t *from, bool of_graph) {
    uint32_t lane = intern_lane(get32(from, HOST_DEVICE), get32(from, HOST_CONTEXT), get32(from, HOST_STREAM));
    uint32_t pthread_low = get32(from, of_graph ? HOST_NODE_THREAD : HOST_LAUNCH_THREAD), tid = thread_of(pthread_low);
    uint8_t *record = spool_begin(SPOOL_HOST_FUNCTION_BYTES);
    if (record == NULL) return;
    spool_flags(record, tid == 0 ? SPOOL_HOST_FUNCTION_FLAG_THREAD_UNKNOWN : 0);
    timed(record, get64(from, of_graph ? HOST_NODE_START : HOST_LAUNCH_START), get64(from, of_graph ? HOST_NODE_END : HOST_LAUNCH_END), get32(from, HOST_CORRELATION));
    put32(record, SPOOL_HOST_FUNCTION_TID, tid != 0 ? tid : pthread_low);
    put32(record, SPOOL_HOST_FUNCTION_LANE, lane);
    put32(record, SPOOL_HOST_FUNCTION_GRAPH, of_graph ? get32(from, HOST_NODE_GRAPH) : 0);
    spool_end(record, SPOOL_HOST_FUNCTION);
}

/* How many bytes of a record of each kind are read; 0 for unused kinds. */
static size_t bytes_read(uint32_t kind) {
    switch (kind) {
        case KIND_KERNEL:
        case KIND_CONCURRENT_KERNEL: return KERNEL_READ;
        case KIND_MEMCPY: return MEMCPY_READ;
        case KIND_MEMCPY_PEER: return PEER_READ;
        case KIND_MEMSET: return MEMSET_READ;
        case KIND_GRAPH_TRACE: return GRAPH_TRACE_READ;
        case KIND_RUNTIME:
        case KIND_DRIVER: return API_READ;
        case KIND_SYNCHRONIZATION: return SYNC_READ;
        case KIND_OVERHEAD: return OVERHEAD_READ;
        case KIND_MARKER: return MARKER_READ;
        case KIND_EXTERNAL_CORRELATION: return EXTERNAL_READ;
        case KIND_CUDA_EVENT: return EVENT_READ;
        case KIND_GRAPH_HOST_NODE: return HOST_NODE_READ;
        case KIND_HOST_LAUNCH: return HOST_LAUNCH_READ;
        case KIND_CONTEXT: return CONTEXT_READ;
        case KIND_DEVICE: return DEVICE_READ;
        default: return 0;
    }
}

void decode(const uint8_t *activity, size_t room) {
    uint32_t kind = room >= 8 ? get32(activity, 0) : 0;
    size_t needed = bytes_read(kind);
    if (needed == 0 || needed > room) { /* An unused kind, or a record that extends beyond its buffer. */
        spool_lost(needed == 0 ? 0 : 1);
        return;
    }
    switch (kind) {
        case KIND_KERNEL:
        case KIND_CONCURRENT_KERNEL: kernel(activity); break;
        case KIND_MEMCPY: copy(activity, false); break;
        case KIND_MEMCPY_PEER: copy(activity, true); break;
        case KIND_MEMSET: fill(activity); break;
        case KIND_GRAPH_TRACE: whole_graph(activity); break;
        case KIND_RUNTIME: call(activity, CUPTI_DOMAIN_RUNTIME); break;
        case KIND_DRIVER: call(activity, CUPTI_DOMAIN_DRIVER); break;
        case KIND_SYNCHRONIZATION: synchronisation(activity); break;
        case KIND_OVERHEAD: decode_recorder_time(activity); break;
        case KIND_MARKER: decode_marker(activity); break;
        case KIND_EXTERNAL_CORRELATION: decode_external_id(activity); break;
        case KIND_CUDA_EVENT: decode_cuda_event(activity); break;
        case KIND_GRAPH_HOST_NODE: host_function(activity, true); break;
        case KIND_HOST_LAUNCH: host_function(activity, false); break;
        case KIND_CONTEXT: decode_context(activity); break;
        default: decode_device(activity); break;
    }
}
