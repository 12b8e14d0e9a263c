/* The CUDA agent, which the CUDA driver loads by CUDA_INJECTION64_PATH into a program that InferScope runs
 * (docs/cuda-agent.md).
 *
 *   program's threads      CUPTI                    agent's thread, every 200 ms
 *   CUDA calls  ------->  buffers  --complete-->    flush: whole buffers come back
 *                                   decode, intern, store in the spool
 *
 * It uses only CUPTI's activity interface. It subscribes to no callback and registers no clock, because the program's
 * own profiler needs these. Failures are noted in the spool, and the program continues. */
#include "agent.h"
#include "calls.h"
#include "clocks.h"
#include "find.h"
#include "flusher.h"
#include "intern.h"
#include "launches.h"
#include "levels.h"
#include "libc_floor.h"
#include "notes.h"
#include "recording.h"
#include "running.h"
#include "spool.h"
#include "subscriber.h"
#include "threads.h"
#include "windows.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

static bool occupied; /* recording, or about to */

bool agent_occupy(void) { return !__atomic_exchange_n(&occupied, true, __ATOMIC_ACQ_REL); }

void agent_leave(void) { __atomic_store_n(&occupied, false, __ATOMIC_RELEASE); }

static void note_version(const char *how, bool subscribed) {
    uint32_t version = 0;
    char text[640], path[256];
    int driver = driver_version();
    if (agent.cupti.version != NULL) agent.cupti.version(&version);
    if (!cupti_path(path, sizeof path)) strcpy(path, "path unknown");
    snprintf(text, sizeof text, "API %u, %s: %s; driver for CUDA %d.%d; %s", version, how, path, driver / 1000, driver % 1000 / 10,
        subscribed ? "one of several subscribers" : "the only receiver");
    say_note("cupti", text);
}

static void *cupti_library, *ranges; /* cupti_library: set once CUDA is in use; ranges: NVTX's table, until it is passed to CUPTI. */

static void hand_over_ranges(void *library) {
    __atomic_store_n(&cupti_library, library, __ATOMIC_RELEASE);
    void *table = __atomic_exchange_n(&ranges, NULL, __ATOMIC_ACQ_REL);
    int (*initialize)(void *) = (int (*)(void *))dlsym(library, "InitializeInjectionNvtx2");
    if (table != NULL && initialize != NULL) initialize(table);
}

static void ignore_call(void *data, int domain, uint32_t callback, const void *call) { (void)data, (void)domain, (void)callback, (void)call; }

/* CUPTI allows one subscriber to callbacks. The agent tries to subscribe for a moment; if that fails, a profiler is
 * active. */
static const char *other_subscriber(void) {
    static char text[320];
    void *subscriber = NULL;
    const char *name = NULL;
    int result = agent.cupti.subscribe == NULL || agent.cupti.unsubscribe == NULL ? CUPTI_OK : agent.cupti.subscribe(&subscriber, ignore_call, NULL);
    if (result == CUPTI_OK) {
        if (subscriber != NULL) agent.cupti.unsubscribe(subscriber);
        return NULL;
    }
    if (agent.cupti.result_text != NULL) agent.cupti.result_text(result, &name);
    snprintf(text, sizeof text, "another profiler in the program uses CUPTI (error %d %s); torch.profiler keeps it after its first use", result,
        name == NULL ? "" : name);
    return text;
}

const char *agent_begin(bool late) {
    static char how[320];
    const char *missing = "";
    void *library = cupti_open(how, sizeof how);
    if (library == NULL) return how;
    if (!cupti_resolve(library, &agent.cupti, &missing)) {
        snprintf(how, sizeof how, "libcupti has no function %s", missing);
        return how;
    }
    bool subscribed = subscriber_join(library, &agent.cupti);
    const char *other = late && !subscribed ? other_subscriber() : NULL;
    if (other != NULL) return other;
    note_version(how, subscribed);
    calls_prepare(&agent.cupti);
    windows_read();
    levels_read();
    launches_prepare(library);
    struct moment now;
    moment_now(&agent.cupti, &now);
    store_moment(&now);
    launches_take(&now);
    __atomic_store_n(&agent.closed, false, __ATOMIC_RELAXED);
    if (!recording_begin(late)) return "";
    hand_over_ranges(library);
    return NULL;
}

bool agent_open(const char *directory, uint64_t max_bytes, bool newest) {
    agent.owner = getpid();
    if (!spool_open(directory, agent.owner, max_bytes, newest)) return false;
    intern_prepare();
    notes_prepare(agent.owner);
    begin_cost();
    return true;
}

void agent_fail(const char *obstacle) {
    if (*obstacle != 0) say_coverage(obstacle, SPOOL_STATUS_NOT_RECORDED);
    update_cost(0);
    __atomic_store_n(&agent.closed, true, __ATOMIC_RELAXED);
    spool_close();
}

static uint64_t max_bytes(void) {
    const char *text = getenv("INFERSCOPE_SPOOL_MAX_BYTES");
    uint64_t bytes = text == NULL ? 0 : strtoull(text, NULL, 10);
    return bytes > 0 ? bytes : 100u << 20;
}

static bool is_newest_kept(void) {
    const char *kept = getenv("INFERSCOPE_GPU_KEEP");
    return kept != NULL && strcmp(kept, "newest") == 0;
}

static bool is_on(void) {
    const char *enabled = getenv("INFERSCOPE_ENABLED");
    return enabled == NULL || strcmp(enabled, "0") != 0;
}

/* Called by the CUDA driver while it initialises. In a setuid program it does nothing, because another user set the
 * environment. It always returns success to the driver. */
EXPORTED int InitializeInjection(void) {
    const char *directory = secure_getenv("INFERSCOPE_SPOOL_DIR");
    if (directory == NULL || *directory == 0 || !is_on() || !agent_occupy()) return 1;
    uint64_t since_ns = monotonic_ns();
    if (!agent_open(directory, max_bytes(), is_newest_kept())) return 1;
    threads_learn_own();
    const char *obstacle = agent_begin(false);
    if (obstacle == NULL && !flusher_start(flush_to_the_end)) obstacle = "no thread could be started that collects records";
    if (obstacle == NULL) flusher_end_with_program();
    pthread_mutex_lock(&agent.storing);
    say_held_up("inferscope agent start", own_tid(), since_ns);
    if (obstacle != NULL) agent_fail(obstacle);
    pthread_mutex_unlock(&agent.storing);
    return 1;
}

/* Called by NVTX, by NVTX_INJECTION64_PATH, at the program's first range. libcupti makes activity records of ranges. If
 * CUDA has not been used yet, the table is kept for later: the suitable libcupti is not known before the driver is
 * loaded, and some versions crash. */
EXPORTED int InitializeInjectionNvtx2(void *export_table) {
    const char *directory = secure_getenv("INFERSCOPE_SPOOL_DIR");
    if (directory == NULL || !is_on()) return 0;
    void *library = __atomic_load_n(&cupti_library, __ATOMIC_ACQUIRE);
    __atomic_store_n(&ranges, export_table, __ATOMIC_RELEASE);
    if (library == NULL) library = __atomic_load_n(&cupti_library, __ATOMIC_ACQUIRE);
    if (library != NULL) hand_over_ranges(library);
    return 1;
}
