/* Activity records that are not operations of a device or calls: ranges, external ids, events, devices, CUPTI's own time. */
#include "bytes.h"
#include "cupti_abi.h"
#include "decode_rare.h"
#include "intern.h"
#include "spool.h"
#include "threads.h"

void decode_recorder_time(const uint8_t *from) {
    bool of_thread = get32(from, OVERHEAD_OBJECT_KIND) == OBJECT_THREAD;
    uint32_t tid = of_thread ? thread_of(get32(from, OVERHEAD_THREAD)) : 0;
    uint8_t *record = spool_begin(SPOOL_RECORDER_TIME_BYTES);
    if (record == NULL) return;
    put64(record, SPOOL_RECORDER_TIME_START_CUPTI_NS, get64(from, OVERHEAD_START));
    put64(record, SPOOL_RECORDER_TIME_END_CUPTI_NS, get64(from, OVERHEAD_END));
    put32(record, SPOOL_RECORDER_TIME_KIND, get32(from, OVERHEAD_KIND));
    put32(record, SPOOL_RECORDER_TIME_TID, tid);
    spool_end(record, SPOOL_RECORDER_TIME);
}

void decode_marker(const uint8_t *from) {
    const char *text, *domain;
    memcpy(&text, from + MARKER_NAME, sizeof text);
    memcpy(&domain, from + MARKER_DOMAIN, sizeof domain);
    uint32_t flags = get32(from, MARKER_FLAGS), pthread_low = get32(from, MARKER_THREAD);
    bool of_thread = get32(from, MARKER_OBJECT_KIND) == OBJECT_THREAD;
    uint32_t name = intern_text(text), domain_name = intern_text(domain), tid = of_thread ? thread_of(pthread_low) : 0;
    uint8_t *record = spool_begin(SPOOL_MARKER_BYTES);
    if (record == NULL) return;
    uint16_t kind = flags & MARKER_BEGIN ? SPOOL_MARKER_FLAG_BEGIN : flags & MARKER_FINISH ? SPOOL_MARKER_FLAG_END : 0;
    spool_flags(record, (uint16_t)(kind | (of_thread && tid == 0 ? SPOOL_MARKER_FLAG_THREAD_UNKNOWN : 0)));
    put64(record, SPOOL_MARKER_CUPTI_NS, get64(from, MARKER_TIME));
    put32(record, SPOOL_MARKER_ID, get32(from, MARKER_ID));
    put32(record, SPOOL_MARKER_TID, of_thread && tid == 0 ? pthread_low : tid);
    put32(record, SPOOL_MARKER_NAME, name);
    put32(record, SPOOL_MARKER_DOMAIN, domain_name);
    spool_end(record, SPOOL_MARKER);
}

void decode_external_id(const uint8_t *from) {
    uint8_t *record = spool_begin(SPOOL_EXTERNAL_ID_BYTES);
    if (record == NULL) return;
    put64(record, SPOOL_EXTERNAL_ID_ID, get64(from, EXTERNAL_ID));
    put32(record, SPOOL_EXTERNAL_ID_CORRELATION, get32(from, EXTERNAL_CORRELATION));
    put32(record, SPOOL_EXTERNAL_ID_KIND, get32(from, EXTERNAL_KIND));
    spool_end(record, SPOOL_EXTERNAL_ID);
}

void decode_cuda_event(const uint8_t *from) {
    uint8_t *record = spool_begin(SPOOL_CUDA_EVENT_BYTES);
    if (record == NULL) return;
    memcpy(record + SPOOL_CUDA_EVENT_CORRELATION, from + EVENT_CORRELATION, 16); /* Correlation, context, stream and event, in this order. */
    spool_end(record, SPOOL_CUDA_EVENT);
}

/* The name is CUPTI's own text, which stays valid. */
static void store_device(const uint8_t *from) {
    const char *text;
    memcpy(&text, from + DEVICE_NAME, sizeof text);
    uint32_t name = intern_text(text);
    uint8_t *record = spool_begin(SPOOL_DEVICE_BYTES);
    if (record == NULL) return;
    put32(record, SPOOL_DEVICE_NUMBER, get32(from, DEVICE_ID));
    put32(record, SPOOL_DEVICE_NAME, name);
    put16(record, SPOOL_DEVICE_MAJOR, (uint16_t)get32(from, DEVICE_MAJOR));
    put16(record, SPOOL_DEVICE_MINOR, (uint16_t)get32(from, DEVICE_MINOR));
    put32(record, SPOOL_DEVICE_MULTIPROCESSORS, get32(from, DEVICE_MULTIPROCESSORS));
    put64(record, SPOOL_DEVICE_MEMORY_BYTES, get64(from, DEVICE_MEMORY));
    memcpy(record + SPOOL_DEVICE_ID, from + DEVICE_UUID, UUID_BYTES);
    if (from[DEVICE_MIG] != 0) {
        memcpy(record + SPOOL_DEVICE_INSTANCE_ID, from + DEVICE_MIG_UUID, UUID_BYTES);
        put32(record, SPOOL_DEVICE_GPU_INSTANCE, get32(from, DEVICE_GPU_INSTANCE));
        put32(record, SPOOL_DEVICE_COMPUTE_INSTANCE, get32(from, DEVICE_COMPUTE_INSTANCE));
    } else {
        memset(record + SPOOL_DEVICE_INSTANCE_ID, 0, SPOOL_DEVICE_BYTES - SPOOL_DEVICE_INSTANCE_ID);
    }
    spool_flags(record, from[DEVICE_VISIBLE] != 0 ? 0 : SPOOL_DEVICE_FLAG_HIDDEN);
    spool_end(record, SPOOL_DEVICE);
}

static void store_context(const uint8_t *from) {
    uint8_t *record = spool_begin(SPOOL_CONTEXT_BYTES);
    if (record == NULL) return;
    put32(record, SPOOL_CONTEXT_NUMBER, get32(from, CONTEXT_ID));
    put32(record, SPOOL_CONTEXT_DEVICE, get32(from, CONTEXT_DEVICE));
    spool_end(record, SPOOL_CONTEXT);
}

/* Devices and contexts, which CUPTI reports once, kept for the spool's next files. Context ids are not reused. */
enum { MAX_DEVICES = 64, MAX_CONTEXTS = 256 };

static struct {
    uint8_t devices[MAX_DEVICES][DEVICE_READ], contexts[MAX_CONTEXTS][CONTEXT_READ];
    uint32_t device_count, context_count;
} said;

void decode_device(const uint8_t *from) {
    bool known = false;
    for (uint32_t i = 0; i < said.device_count; i++) known |= memcmp(said.devices[i] + DEVICE_MEMORY, from + DEVICE_MEMORY, DEVICE_READ - DEVICE_MEMORY) == 0;
    if (!known && said.device_count < MAX_DEVICES) memcpy(said.devices[said.device_count++], from, DEVICE_READ);
    store_device(from);
}

void decode_context(const uint8_t *from) {
    bool known = false;
    for (uint32_t i = 0; i < said.context_count; i++) known |= get32(said.contexts[i], CONTEXT_ID) == get32(from, CONTEXT_ID);
    if (!known && said.context_count < MAX_CONTEXTS) memcpy(said.contexts[said.context_count++], from, CONTEXT_READ);
    store_context(from);
}

void decode_again(void) {
    for (uint32_t i = 0; i < said.device_count; i++) store_device(said.devices[i]);
    for (uint32_t i = 0; i < said.context_count; i++) store_context(said.contexts[i]);
}
