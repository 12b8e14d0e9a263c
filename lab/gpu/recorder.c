/* A client of libcupti that does nothing with records but count them, for lab/gpu/experiments: what libcupti's own work costs a program. The CUDA
 * driver loads it by CUDA_INJECTION64_PATH. Variables say what it asks of libcupti; names of calls may end with '*':
 *
 *   RECORDER_CUPTI      libcupti's file
 *   RECORDER_OUT        the file that gets what was counted, as lines "NAME VALUE", every second and at the end
 *   RECORDER_KINDS      numbers of activity kinds that are enabled: 10,5
 *   RECORDER_RUNTIME    calls of the runtime that are recorded without their kind: cudaLaunchKernel*,cudaGraphLaunch*
 *   RECORDER_DRIVER     calls of the driver, likewise
 *   RECORDER_CALLBACKS  calls of either for which a callback that does nothing is enabled
 *   RECORDER_QUIET      calls of either that are switched off again after their kind was enabled
 *   RECORDER_ATTRIBUTES attributes, as NUMBER=VALUE, or NUMBER*FACTOR of the value that libcupti has: 0*8,8=0
 *   RECORDER_FLUSH_MS   period of flushes (200) */
#define _GNU_SOURCE
#include "../../native/agent/cupti_abi.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER_BYTES = 4 << 20, KINDS = 128, CALLS = 4096 };

static struct {
    int (*subscribe)(void **, void *, void *);
    int (*enable_callback)(uint32_t, void *, int, uint32_t);
    int (*get_attribute)(int, size_t *, void *);
    int (*set_attribute)(int, size_t *, void *);
    int (*register_callbacks)(cupti_request_fn, cupti_complete_fn);
    int (*enable)(int);
    int (*flush)(uint32_t);
    int (*next)(uint8_t *, size_t, uint8_t **);
    int (*dropped)(void *, uint32_t, size_t *);
    int (*runtime)(uint32_t, uint8_t);
    int (*driver)(uint32_t, uint8_t);
    int (*name)(int, uint32_t, const char **);
    int (*version)(uint32_t *);
} cupti;

static uint64_t records[KINDS], lost, invalid, first_invalid, callbacks, refused, switched;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

static void on_request(uint8_t **buffer, size_t *bytes, size_t *most) {
    *bytes = BUFFER_BYTES, *most = 0;
    *buffer = aligned_alloc(8, BUFFER_BYTES);
}

/* A kernel's stamps are invalid if they are none, or if it ends before it begins. */
static void count(const uint8_t *record) {
    uint32_t kind;
    memcpy(&kind, record, 4);
    if (kind < KINDS) records[kind]++;
    if (kind != KIND_CONCURRENT_KERNEL) return;
    uint64_t start, end;
    memcpy(&start, record + KERNEL_START, 8);
    memcpy(&end, record + KERNEL_END, 8);
    if (start != 0 && end >= start) return;
    if (invalid++ == 0) first_invalid = records[kind];
}

static void on_complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid) {
    (void)bytes;
    size_t missing = 0;
    pthread_mutex_lock(&counting);
    for (uint8_t *record = NULL; valid > 0 && cupti.next(buffer, valid, &record) == CUPTI_OK;) count(record);
    pthread_mutex_unlock(&counting);
    if (cupti.dropped(context, stream, &missing) == CUPTI_OK) lost += missing;
    free(buffer);
}

static void on_call(void *data, int domain, uint32_t callback, const void *call) {
    (void)data, (void)domain, (void)callback, (void)call;
    __atomic_fetch_add(&callbacks, 1, __ATOMIC_RELAXED);
}

static void say(void) {
    char path[4096];
    uint32_t version = 0;
    const char *out = getenv("RECORDER_OUT");
    if (out == NULL || (size_t)snprintf(path, sizeof path, "%s.part", out) >= sizeof path) return;
    FILE *file = fopen(path, "w");
    if (file == NULL) return;
    if (cupti.version != NULL) cupti.version(&version);
    fprintf(file, "version %u\nlost %llu\ninvalid %llu\nfirst_invalid %llu\ncallbacks %llu\nrefused %llu\nswitched %llu\n", version, (unsigned long long)lost,
        (unsigned long long)invalid, (unsigned long long)first_invalid, (unsigned long long)callbacks, (unsigned long long)refused, (unsigned long long)switched);
    for (int kind = 0; kind < KINDS; kind++)
        if (records[kind] > 0) fprintf(file, "kind_%d %llu\n", kind, (unsigned long long)records[kind]);
    fclose(file);
    rename(path, out);
}

static void *flush_often(void *unused) {
    (void)unused;
    const char *text = getenv("RECORDER_FLUSH_MS");
    int period_ms = text == NULL ? 200 : atoi(text);
    for (int ms = 0;; ms += period_ms) {
        usleep((useconds_t)period_ms * 1000);
        cupti.flush(0);
        if (ms % 1000 < period_ms) say();
    }
    return NULL;
}

static void at_end(void) {
    cupti.flush(1);
    say();
}

/* Returns whether a list such as "cudaLaunchKernel*,cudaMemset" has a name. Names of the runtime end with their version. */
static int has(const char *list, const char *name) {
    for (const char *at = list; at != NULL && *at != 0; at += strspn(at, ",")) {
        size_t length = strcspn(at, ",");
        int open = length > 0 && at[length - 1] == '*';
        if (strncmp(at, name, length - (size_t)open) == 0 && (open || name[length] == 0 || strncmp(name + length, "_v", 2) == 0)) return 1;
        at += length;
    }
    return 0;
}

static void tally(int result) {
    switched++;
    refused += result != CUPTI_OK;
}

/* Calls `change` for every call of a domain that a list has. */
static void for_calls(const char *variable, int domain, void (*change)(int domain, uint32_t callback)) {
    const char *list = getenv(variable), *name;
    for (uint32_t callback = 1; list != NULL && callback < CALLS; callback++)
        if (cupti.name(domain, callback, &name) == CUPTI_OK && name != NULL && has(list, name)) change(domain, callback);
}

static void *subscriber;

static void record(int domain, uint32_t callback) {
    int (*change)(uint32_t, uint8_t) = domain == CUPTI_DOMAIN_RUNTIME ? cupti.runtime : cupti.driver;
    tally(change == NULL ? -1 : change(callback, 1));
}

static void silence(int domain, uint32_t callback) {
    int (*change)(uint32_t, uint8_t) = domain == CUPTI_DOMAIN_RUNTIME ? cupti.runtime : cupti.driver;
    tally(change == NULL ? -1 : change(callback, 0));
}

static void call_back(int domain, uint32_t callback) { tally(cupti.enable_callback == NULL ? -1 : cupti.enable_callback(1, subscriber, domain, callback)); }

static void set_attributes(void) {
    const char *at = getenv("RECORDER_ATTRIBUTES");
    int number, used;
    char operator;
    unsigned long long value;
    while (at != NULL && sscanf(at, "%d%c%llu%n", &number, &operator, &value, &used) == 3) {
        uint64_t all = 0;
        size_t bytes = number >= 5 && number != 6 && number != 7 && number != 10 ? 1 : sizeof(size_t);
        int result = cupti.get_attribute == NULL ? -1 : cupti.get_attribute(number, &bytes, &all);
        all = operator== '*' ? all * value : value;
        tally(result != CUPTI_OK ? result : cupti.set_attribute(number, &bytes, &all));
        at += used;
        at += strspn(at, ",");
    }
}

static int resolve(void) {
    void *library = dlopen(getenv("RECORDER_CUPTI"), RTLD_NOW | RTLD_LOCAL);
    const struct {
        const char *name;
        void *at;
        int needed;
    } wanted[] = {{"cuptiSubscribe", &cupti.subscribe, 0}, {"cuptiEnableCallback", &cupti.enable_callback, 0}, {"cuptiActivityGetAttribute", &cupti.get_attribute, 0},
        {"cuptiActivitySetAttribute", &cupti.set_attribute, 0}, {"cuptiActivityRegisterCallbacks", &cupti.register_callbacks, 1}, {"cuptiActivityEnable", &cupti.enable, 1},
        {"cuptiActivityFlushAll", &cupti.flush, 1}, {"cuptiActivityGetNextRecord", &cupti.next, 1}, {"cuptiActivityGetNumDroppedRecords", &cupti.dropped, 1},
        {"cuptiActivityEnableRuntimeApi", &cupti.runtime, 0}, {"cuptiActivityEnableDriverApi", &cupti.driver, 0}, {"cuptiGetCallbackName", &cupti.name, 1},
        {"cuptiGetVersion", &cupti.version, 0}};
    if (library == NULL) return 0;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *function = dlsym(library, wanted[i].name);
        if (function == NULL && wanted[i].needed) return 0;
        memcpy(wanted[i].at, &function, sizeof function);
    }
    return 1;
}

__attribute__((visibility("default"))) int InitializeInjection(void) {
    const char *kinds = getenv("RECORDER_KINDS");
    pthread_t thread;
    if (getenv("RECORDER_CUPTI") == NULL || !resolve()) return 1;
    set_attributes();
    tally(cupti.register_callbacks(on_request, on_complete));
    if (getenv("RECORDER_CALLBACKS") != NULL) tally(cupti.subscribe == NULL ? -1 : cupti.subscribe(&subscriber, (void *)on_call, NULL));
    for_calls("RECORDER_RUNTIME", CUPTI_DOMAIN_RUNTIME, record);
    for_calls("RECORDER_DRIVER", CUPTI_DOMAIN_DRIVER, record);
    for (int domain = CUPTI_DOMAIN_DRIVER; domain <= CUPTI_DOMAIN_RUNTIME; domain++) for_calls("RECORDER_CALLBACKS", domain, call_back);
    for (char *end; kinds != NULL && *kinds != 0; kinds = end + strspn(end, ",")) {
        long kind = strtol(kinds, &end, 10);
        if (end == kinds) break;
        tally(cupti.enable((int)kind));
    }
    for (int domain = CUPTI_DOMAIN_DRIVER; domain <= CUPTI_DOMAIN_RUNTIME; domain++) for_calls("RECORDER_QUIET", domain, silence);
    if (pthread_create(&thread, NULL, flush_often, NULL) == 0) pthread_detach(thread);
    atexit(at_end);
    return 1;
}
