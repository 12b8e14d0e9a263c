/* Activity records that are not operations of a device or calls: ranges, external ids, events, devices, CUPTI's own time. */
#include "agent.h"
#include "decode.h"

void decode_recorder_time(const uint8_t *from) {
    bool of_thread = get32(from, OVERHEAD_OBJECT_KIND) == OBJECT_THREAD;
    uint32_t tid = of_thread ? thread_of(get32(from, OVERHEAD_THREAD)) : 0;
    uint8_t *record = spool_begin(32);
    if (record == NULL) return;
    put64(record, 8, get64(from, OVERHEAD_START));
    put64(record, 16, get64(from, OVERHEAD_END));
    put32(record, 24, get32(from, OVERHEAD_KIND));
    put32(record, 28, tid);
    spool_end(record, SPOOL_RECORDER_TIME);
}

void decode_marker(const uint8_t *from) {
    const char *text, *domain;
    memcpy(&text, from + MARKER_NAME, sizeof text);
    memcpy(&domain, from + MARKER_DOMAIN, sizeof domain);
    uint32_t flags = get32(from, MARKER_FLAGS), pthread_low = get32(from, MARKER_THREAD);
    bool of_thread = get32(from, MARKER_OBJECT_KIND) == OBJECT_THREAD;
    uint32_t name = intern_text(text), domain_name = intern_text(domain), tid = of_thread ? thread_of(pthread_low) : 0;
    uint8_t *record = spool_begin(32);
    if (record == NULL) return;
    uint16_t kind = flags & MARKER_BEGIN ? 1 : flags & MARKER_FINISH ? 2 : 0;
    spool_flags(record, (uint16_t)(kind | (of_thread && tid == 0 ? THREAD_UNKNOWN : 0)));
    put64(record, 8, get64(from, MARKER_TIME));
    put32(record, 16, get32(from, MARKER_ID));
    put32(record, 20, of_thread && tid == 0 ? pthread_low : tid);
    put32(record, 24, name);
    put32(record, 28, domain_name);
    spool_end(record, SPOOL_MARKER);
}

void decode_external_id(const uint8_t *from) {
    uint8_t *record = spool_begin(24);
    if (record == NULL) return;
    put64(record, 8, get64(from, EXTERNAL_ID));
    put32(record, 16, get32(from, EXTERNAL_CORRELATION));
    put32(record, 20, get32(from, EXTERNAL_KIND));
    spool_end(record, SPOOL_EXTERNAL_ID);
}

void decode_cuda_event(const uint8_t *from) {
    uint8_t *record = spool_begin(24);
    if (record == NULL) return;
    memcpy(record + 8, from + EVENT_CORRELATION, 16); /* Correlation, context, stream and event, in this order. */
    spool_end(record, SPOOL_CUDA_EVENT);
}

void decode_device(const uint8_t *from) {
    const char *text;
    memcpy(&text, from + DEVICE_NAME, sizeof text);
    uint32_t name = intern_text(text);
    uint8_t *record = spool_begin(72);
    if (record == NULL) return;
    put32(record, 8, get32(from, DEVICE_ID));
    put32(record, 12, name);
    put16(record, 16, (uint16_t)get32(from, DEVICE_MAJOR));
    put16(record, 18, (uint16_t)get32(from, DEVICE_MINOR));
    put32(record, 20, get32(from, DEVICE_MULTIPROCESSORS));
    put64(record, 24, get64(from, DEVICE_MEMORY));
    memcpy(record + 32, from + DEVICE_UUID, UUID_BYTES);
    if (from[DEVICE_MIG] != 0) {
        memcpy(record + 48, from + DEVICE_MIG_UUID, UUID_BYTES);
        put32(record, 64, get32(from, DEVICE_GPU_INSTANCE));
        put32(record, 68, get32(from, DEVICE_COMPUTE_INSTANCE));
    } else {
        memset(record + 48, 0, 24);
    }
    spool_flags(record, from[DEVICE_VISIBLE] != 0 ? 0 : DEVICE_HIDDEN);
    spool_end(record, SPOOL_DEVICE);
}

void decode_context(const uint8_t *from) {
    uint8_t *record = spool_begin(16);
    if (record == NULL) return;
    put32(record, 8, get32(from, CONTEXT_ID));
    put32(record, 12, get32(from, CONTEXT_DEVICE));
    spool_end(record, SPOOL_CONTEXT);
}
