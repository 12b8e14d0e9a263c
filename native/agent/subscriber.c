/* CUPTI has two interfaces for records. The first one has one receiver, the profiler that registered last. From CUDA 13.3
 * and driver r610 on, the second one gives each subscriber records and buffers of its own. CUPTI refuses the clients of
 * one interface while there are clients of the other. So the agent subscribes unless the program has a library whose
 * profiler uses the first interface; and even then, if there is a subscriber, such as PyTorch's own monitor, because that
 * profiler is refused then anyway. */
#include "find.h"
#include "libc_floor.h"
#include "subscriber.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_API = 130300, FIRST_DRIVER = 13030, NAME_BYTES = 64, MISSING = -1 };

/* Libraries with a profiler of the first interface: PyTorch's, ONNX Runtime's, Triton's. */
static const char *const RECEIVERS[] = {"libtorch_cpu.so", "libonnxruntime_providers_cuda.so", "libproton.so", NULL};

static struct {
    void *library;
    void *subscriber; /* atomic; NULL: none, and the first interface is used */
    struct cupti first;
    int (*subscribe)(void **subscriber, cupti_callback_fn callback, void *data, struct subscriber_params *params);
    int (*unsubscribe)(void *subscriber);
    int (*register_callbacks)(void *subscriber, cupti_request_v2_fn request, cupti_complete_v2_fn complete);
    int (*enable)(void *subscriber, int kind, void *config);
    int (*enable_and_dump)(void *subscriber, int kind, void *config);
    int (*disable)(void *subscriber, int kind, void *config);
    int (*next_record)(void *subscriber, uint8_t *buffer, size_t valid_bytes, uint8_t **record);
    int (*dropped_records)(void *subscriber, void *context, uint32_t stream, size_t *count);
    int (*timestamp)(void *subscriber, uint64_t *ns);
    int (*enable_runtime_call)(void *subscriber, uint32_t callback, uint8_t enable);
    int (*enable_driver_call)(void *subscriber, uint32_t callback, uint8_t enable);
    cupti_request_fn request;
    cupti_complete_fn complete;
} own;

static char other[NAME_BYTES];

static void *joined(void) { return __atomic_load_n(&own.subscriber, __ATOMIC_ACQUIRE); }

bool subscriber_is_joined(void) { return joined() != NULL; }

static void on_request_v2(uint8_t **buffer, size_t *bytes, size_t *max_records, void *about) {
    (void)about;
    own.request(buffer, bytes, max_records);
}

static void on_complete_v2(uint8_t *buffer, size_t bytes, size_t valid_bytes, void *about) {
    (void)about;
    own.complete(NULL, 0, buffer, bytes, valid_bytes);
}

static int register_callbacks(cupti_request_fn request, cupti_complete_fn complete) {
    void *subscriber = joined();
    if (subscriber == NULL) return own.first.register_callbacks(request, complete);
    own.request = request;
    own.complete = complete;
    return own.register_callbacks(subscriber, on_request_v2, on_complete_v2);
}

static int enable(int kind) {
    void *subscriber = joined();
    return subscriber == NULL ? own.first.enable(kind) : own.enable(subscriber, kind, NULL);
}

static int enable_and_dump(int kind) {
    void *subscriber = joined();
    return subscriber == NULL ? own.first.enable_and_dump(kind) : own.enable_and_dump(subscriber, kind, NULL);
}

static int disable(int kind) {
    void *subscriber = joined();
    return subscriber == NULL ? own.first.disable(kind) : own.disable(subscriber, kind, NULL);
}

static int next_record(uint8_t *buffer, size_t valid_bytes, uint8_t **record) {
    void *subscriber = joined();
    return subscriber == NULL ? own.first.next_record(buffer, valid_bytes, record) : own.next_record(subscriber, buffer, valid_bytes, record);
}

static int dropped_records(void *context, uint32_t stream, size_t *count) {
    void *subscriber = joined();
    return subscriber == NULL ? own.first.dropped_records(context, stream, count) : own.dropped_records(subscriber, context, stream, count);
}

static int timestamp(uint64_t *ns) {
    void *subscriber = joined();
    return subscriber == NULL ? own.first.timestamp(ns) : own.timestamp(subscriber, ns);
}

static int enable_runtime_call(uint32_t callback, uint8_t on) {
    void *subscriber = joined();
    int (*first)(uint32_t, uint8_t) = own.first.enable_runtime_call;
    if (subscriber == NULL) return first == NULL ? MISSING : first(callback, on);
    return own.enable_runtime_call == NULL ? MISSING : own.enable_runtime_call(subscriber, callback, on);
}

static int enable_driver_call(uint32_t callback, uint8_t on) {
    void *subscriber = joined();
    int (*first)(uint32_t, uint8_t) = own.first.enable_driver_call;
    if (subscriber == NULL) return first == NULL ? MISSING : first(callback, on);
    return own.enable_driver_call == NULL ? MISSING : own.enable_driver_call(subscriber, callback, on);
}

static bool resolve(void *library) {
    const struct {
        const char *name;
        void *at;
        bool needed;
    } wanted[] = {
        {"cuptiSubscribe_v2", &own.subscribe, true},
        {"cuptiUnsubscribe", &own.unsubscribe, true},
        {"cuptiActivityRegisterCallbacks_v2", &own.register_callbacks, true},
        {"cuptiActivityEnable_v2", &own.enable, true},
        {"cuptiActivityEnableAndDump_v2", &own.enable_and_dump, true},
        {"cuptiActivityDisable_v2", &own.disable, true},
        {"cuptiActivityGetNextRecord_v2", &own.next_record, true},
        {"cuptiActivityGetNumDroppedRecords_v2", &own.dropped_records, true},
        {"cuptiGetTimestamp_v2", &own.timestamp, true},
        {"cuptiActivityEnableRuntimeApi_v2", &own.enable_runtime_call, false},
        {"cuptiActivityEnableDriverApi_v2", &own.enable_driver_call, false},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *function = dlsym(library, wanted[i].name);
        if (function == NULL && wanted[i].needed) return false;
        memcpy(wanted[i].at, &function, sizeof function);
    }
    return true;
}

static bool is_alone(void) {
    for (const char *const *name = RECEIVERS; *name != NULL; name++)
        if (is_mapped(*name)) return false;
    return true;
}

/* Only called by CUPTI if callbacks are enabled, which the agent does not do. */
static void ignore(void *data, int domain, uint32_t callback, const void *call) { (void)data, (void)domain, (void)callback, (void)call; }

bool subscriber_join(void *library, struct cupti *cupti) {
    uint32_t version = 0;
    void *subscriber = NULL;
    *other = 0;
    if (library != NULL) own.library = library, own.first = *cupti;
    if (own.library == NULL || cupti->version == NULL || cupti->version(&version) != CUPTI_OK || version < FIRST_API || driver_version() < FIRST_DRIVER) return false;
    uint64_t ns;
    if ((!is_alone() && own.first.timestamp(&ns) == CUPTI_OK) || !resolve(own.library)) return false; /* It is refused if there is a subscriber. */
    struct subscriber_params params = {sizeof params, "InferScope", other, sizeof other, 1, {0}};
    if (own.subscribe(&subscriber, ignore, NULL, &params) != CUPTI_OK || subscriber == NULL) return false;
    if (own.timestamp(subscriber, &ns) != CUPTI_OK) { /* As with a driver that does not fit: the first interface may work. */
        own.unsubscribe(subscriber);
        return false;
    }
    cupti->register_callbacks = register_callbacks;
    cupti->enable = enable;
    cupti->enable_and_dump = enable_and_dump;
    cupti->disable = disable;
    cupti->next_record = next_record;
    cupti->dropped_records = dropped_records;
    cupti->timestamp = timestamp;
    cupti->enable_runtime_call = enable_runtime_call;
    cupti->enable_driver_call = enable_driver_call;
    __atomic_store_n(&own.subscriber, subscriber, __ATOMIC_RELEASE);
    return true;
}

/* CUPTI may return buffers while it unsubscribes, which only the subscriber's interface reads. So the subscriber stays
 * known until then. No lock is held meanwhile, because those callbacks take the agent's; a flag keeps other threads from
 * unsubscribing twice. */
void subscriber_leave(void) {
    static bool leaving; /* atomic */
    if (__atomic_exchange_n(&leaving, true, __ATOMIC_ACQUIRE)) return;
    void *subscriber = joined();
    if (subscriber != NULL) own.unsubscribe(subscriber);
    __atomic_store_n(&own.subscriber, NULL, __ATOMIC_RELEASE);
    __atomic_store_n(&leaving, false, __ATOMIC_RELEASE);
}

const char *subscriber_other(void) { return other; }
