/* The CUDA agent: what the CUDA driver loads by CUDA_INJECTION64_PATH into a program that InferScope runs (docs/cuda-agent.md).
 *
 *   program's threads      CUPTI                    agent's thread, every 200 ms
 *   CUDA calls  ------->  buffers  --complete-->    flush: whole buffers come back
 *                                   decode, intern, store in the spool
 *
 * Records of CUPTI's activity interface only: no callback is subscribed to and no clock is registered, which the program's own profiler needs.
 * Whatever fails is noted in the spool, and the program goes on. */
#include "calls.h"
#include "clocks.h"
#include "delivery.h"
#include "find.h"
#include "flusher.h"
#include "libc_floor.h"
#include "notes.h"
#include "running.h"
#include "spool.h"
#include "threads.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

static void fail_call(const char *call, int kind, int result) {
    const char *text = NULL;
    char why[256];
    if (agent.cupti.result_text != NULL) agent.cupti.result_text(result, &text);
    snprintf(why, sizeof why, "libcupti refused %s(%d): error %d %s", call, kind, result, text == NULL ? "" : text);
    pthread_mutex_lock(&agent.storing);
    say_coverage(why, SPOOL_STATUS_NOT_RECORDED);
    pthread_mutex_unlock(&agent.storing);
}

/* Returns whether device work is recorded; what else is refused is noted. */
static bool enable_activities(void) {
    static const int kinds[] = {KIND_CONCURRENT_KERNEL, KIND_DEVICE, KIND_CONTEXT, KIND_MEMCPY, KIND_MEMCPY_PEER, KIND_MEMSET, KIND_RUNTIME,
        KIND_DRIVER, KIND_SYNCHRONIZATION, KIND_OVERHEAD, KIND_EXTERNAL_CORRELATION, KIND_CUDA_EVENT, KIND_MARKER};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int result = agent.cupti.enable(kinds[i]);
        if (result != CUPTI_OK) fail_call("cuptiActivityEnable", kinds[i], result);
        if (result != CUPTI_OK && i == 0) return false;
    }
    return true;
}

static void note_version(const char *how) {
    uint32_t version = 0;
    char text[384];
    if (agent.cupti.version != NULL) agent.cupti.version(&version);
    snprintf(text, sizeof text, "API %u, %s", version, how);
    say_note("cupti", text);
}

/* Returns NULL when recording has begun, else what is in the way; empty when that was noted already. */
static const char *begin_recording(void) {
    static char how[320];
    const char *missing = "";
    void *library = cupti_open(how, sizeof how);
    if (library == NULL) return how;
    if (!cupti_resolve(library, &agent.cupti, &missing)) {
        snprintf(how, sizeof how, "libcupti has no function %s", missing);
        return how;
    }
    note_version(how);
    store_moment();
    calls_prepare(&agent.cupti);
    int result = agent.cupti.register_callbacks(on_request, on_complete);
    if (result != CUPTI_OK) {
        fail_call("cuptiActivityRegisterCallbacks", 0, result);
        return "";
    }
    if (!enable_activities()) return "";
    calls_silence();
    return flusher_start() ? NULL : "no thread could be started that collects records";
}

static uint64_t max_bytes(void) {
    const char *text = getenv("INFERSCOPE_SPOOL_MAX_BYTES");
    uint64_t bytes = text == NULL ? 0 : strtoull(text, NULL, 10);
    return bytes > 0 ? bytes : 100u << 20;
}

static bool is_on(void) {
    const char *enabled = getenv("INFERSCOPE_ENABLED");
    return enabled == NULL || strcmp(enabled, "0") != 0;
}

/* Called by the CUDA driver while it initialises. A setuid program does not obey the environment: its user is not who set it. What it returns tells the driver that all is well, whatever happened. */
EXPORTED int InitializeInjection(void) {
    static bool called;
    const char *directory = secure_getenv("INFERSCOPE_SPOOL_DIR");
    if (__atomic_exchange_n(&called, true, __ATOMIC_ACQ_REL) || directory == NULL || *directory == 0 || !is_on()) return 1;
    uint64_t since_ns = monotonic_ns();
    agent.owner = getpid();
    if (!spool_open(directory, agent.owner, max_bytes())) return 1;
    notes_prepare(&agent.cupti, agent.owner);
    threads_learn();
    begin_cost();
    const char *obstacle = begin_recording();
    pthread_mutex_lock(&agent.storing);
    say_held_up("inferscope agent start", own_tid(), since_ns);
    if (obstacle != NULL) {
        if (*obstacle != 0) say_coverage(obstacle, SPOOL_STATUS_NOT_RECORDED);
        update_cost(0);
        agent.closed = true;
        spool_close();
    }
    pthread_mutex_unlock(&agent.storing);
    return 1;
}

/* Called by NVTX, by NVTX_INJECTION64_PATH, at the program's first range: handed on to libcupti, which makes activity records of ranges. */
EXPORTED int InitializeInjectionNvtx2(void *export_table) {
    char how[256];
    const char *directory = secure_getenv("INFERSCOPE_SPOOL_DIR");
    void *library = directory == NULL || !is_on() ? NULL : cupti_open(how, sizeof how);
    int (*initialize)(void *) = library == NULL ? NULL : (int (*)(void *))dlsym(library, "InitializeInjectionNvtx2");
    return initialize == NULL ? 0 : initialize(export_table);
}
