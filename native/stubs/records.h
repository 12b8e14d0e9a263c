/* The activity records of three generations of libcupti, chosen by GENERATION (11, 12 or 13). Only the stand-in of
 * libcupti includes it. */
#ifndef INFERSCOPE_STUB_RECORDS_H
#define INFERSCOPE_STUB_RECORDS_H

#include "stub.h"
#include "../agent/cupti_abi.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifndef GENERATION
#define GENERATION 13
#endif

/* Sizes as in each generation; all bytes of unused fields are 0xa5, so that a test notices if one is read. */
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
    HOST_LAUNCH_BYTES = 48,
    HOST_NODE_BYTES = 56,
    GRAPH_BYTES = GENERATION < 13 ? 48 : 56,
    RECORD_BYTES = 256,
    HIDDEN_DEVICE = 99 /* hidden by CUDA_VISIBLE_DEVICES, with the number of another device */
};

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
        case KIND_GRAPH_TRACE: return GRAPH_BYTES;
        case KIND_HOST_LAUNCH: return HOST_LAUNCH_BYTES;
        case KIND_GRAPH_HOST_NODE: return HOST_NODE_BYTES;
        default: return 0;
    }
}

static void put(uint8_t *at, int field, uint64_t value, size_t bytes) { memcpy(at + field, &value, bytes); }

/* Stores start, end, device, context, stream and correlation from field `at` on, in the layout of copies and fills. */
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
    if (from->bytes > 0) memcpy(grid_block, (uint32_t[]){(uint32_t)from->bytes, 1, 1}, 12);
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
    uint32_t kinds = from->kind == KIND_MEMCPY_PEER ? 0x33a : from->type != 0 ? from->type : 0x311; /* direction, source, destination */
    put(to, MEMCPY_KIND, kinds & 15, 1);
    put(to, MEMCPY_FROM, kinds >> 4 & 15, 1);
    put(to, MEMCPY_TO, kinds >> 8 & 15, 1);
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

static void fill_graph(uint8_t *to, const struct stub_operation *from) {
    put(to, GRAPH_TRACE_CORRELATION, from->correlation, 4);
    put(to, GRAPH_TRACE_START, from->start, 8);
    put(to, GRAPH_TRACE_END, from->end, 8);
    put(to, GRAPH_TRACE_DEVICE, from->device, 4);
    put(to, GRAPH_TRACE_GRAPH, from->graph, 4);
    put(to, GRAPH_TRACE_CONTEXT, from->context, 4);
    put(to, GRAPH_TRACE_STREAM, from->stream, 4);
}

static void fill_host(uint8_t *to, const struct stub_operation *from) {
    bool of_graph = from->kind == KIND_GRAPH_HOST_NODE;
    put(to, HOST_STREAM, from->stream, 4);
    put(to, HOST_CONTEXT, from->context, 4);
    put(to, HOST_DEVICE, from->device, 4);
    put(to, HOST_CORRELATION, from->correlation, 4);
    if (of_graph) put(to, HOST_NODE_GRAPH, from->graph, 4);
    put(to, of_graph ? HOST_NODE_THREAD : HOST_LAUNCH_THREAD, from->thread, 4);
    put(to, of_graph ? HOST_NODE_START : HOST_LAUNCH_START, from->start, 8);
    put(to, of_graph ? HOST_NODE_END : HOST_LAUNCH_END, from->end, 8);
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
        case KIND_GRAPH_TRACE: fill_graph(to, from); break;
        case KIND_HOST_LAUNCH:
        case KIND_GRAPH_HOST_NODE: fill_host(to, from); break;
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

#endif
