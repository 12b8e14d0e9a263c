/* A process has one receiver of CUPTI's activity records: who registered last. The program's own profiler may come after the agent, so the agent can
 * step aside and come back, and does not ask for records that are another's: old versions of Kineto hand out no buffer then.
 *
 *   recording --pause--> paused --resume--> recording
 *       |                                       |
 *       +-- nobody asks the agent for buffers: silent, until somebody does */
#include "buffers.h"
#include "calls.h"
#include "clocks.h"
#include "delivery.h"
#include "libc_floor.h"
#include "notes.h"
#include "recording.h"
#include "running.h"
#include "spool.h"

#include <dlfcn.h>
#include <stdio.h>

#define EXPORTED __attribute__((visibility("default")))

/* So many rounds without a buffer back mean that another receives them; a busy machine delays one or two. */
enum { SILENT_ROUNDS = 5, FIRST_API_OF_CUDA_12 = 19 };

static const int KINDS[] = {KIND_CONCURRENT_KERNEL, KIND_DEVICE, KIND_CONTEXT, KIND_MEMCPY, KIND_MEMCPY_PEER, KIND_MEMSET, KIND_RUNTIME, KIND_DRIVER,
    KIND_SYNCHRONIZATION, KIND_OVERHEAD, KIND_EXTERNAL_CORRELATION, KIND_CUDA_EVENT, KIND_MARKER};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

static struct {
    pthread_mutex_t changing; /* one change or flush at a time; never taken in a callback of CUPTI */
    bool enabled[KIND_COUNT]; /* by the agent: another's kinds stay as they are */
    bool on;                  /* registered, kinds enabled */
    uint64_t since_ns;        /* since when it is paused; 0 when it is not */
    uint32_t silent_rounds;
    int (*driver_version)(int *);
} recording = {.changing = PTHREAD_MUTEX_INITIALIZER};

static void fail_call(const char *call, int kind, int result) {
    const char *text = NULL;
    char why[256];
    if (agent.cupti.result_text != NULL) agent.cupti.result_text(result, &text);
    snprintf(why, sizeof why, "libcupti refused %s(%d): error %d %s", call, kind, result, text == NULL ? "" : text);
    pthread_mutex_lock(&agent.storing);
    say_coverage(why, SPOOL_STATUS_NOT_RECORDED);
    pthread_mutex_unlock(&agent.storing);
}

/* Versions before CUDA 12 know no records of events. */
static bool is_known(int kind) {
    uint32_t version = 0;
    return kind != KIND_CUDA_EVENT || agent.cupti.version == NULL || agent.cupti.version(&version) != CUPTI_OK || version >= FIRST_API_OF_CUDA_12;
}

static bool enable_kinds(void) {
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (!is_known(KINDS[i])) continue;
        int result = agent.cupti.enable(KINDS[i]);
        recording.enabled[i] = result == CUPTI_OK;
        if (result != CUPTI_OK) fail_call("cuptiActivityEnable", KINDS[i], result);
        if (result != CUPTI_OK && i == 0) return false;
    }
    calls_silence();
    return true;
}

static void disable_kinds(void) {
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (recording.enabled[i]) agent.cupti.disable(KINDS[i]);
        recording.enabled[i] = false;
    }
}

static bool begin(void) {
    int result = agent.cupti.register_callbacks(on_request, on_complete);
    if (result != CUPTI_OK) fail_call("cuptiActivityRegisterCallbacks", 0, result);
    recording.on = result == CUPTI_OK && enable_kinds();
    recording.silent_rounds = 0;
    return recording.on;
}

/* Before the last buffers are asked for, so that none is begun after them. */
static void stop(void) {
    disable_kinds();
    agent.cupti.flush_all(1);
    recording.on = false;
}

bool recording_begin(void) {
    pthread_mutex_lock(&recording.changing);
    bool begun = begin();
    pthread_mutex_unlock(&recording.changing);
    return begun;
}

/* Makes a call of which CUPTI must deliver a record: when none comes, somebody else receives the records. Returns false where it cannot be made. */
static bool call_to_be_heard(void) {
    int version;
    if (recording.driver_version == NULL) {
        void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
        if (driver != NULL) recording.driver_version = (int (*)(int *))dlsym(driver, "cuDriverGetVersion");
    }
    if (recording.driver_version != NULL) recording.driver_version(&version);
    return recording.driver_version != NULL;
}

/* Its own call must have CUPTI ask for a buffer when none is out, and bring one back within some rounds. */
static bool is_heard(uint64_t deliveries_before) {
    static uint64_t requests;
    uint64_t now = __atomic_load_n(&agent.requests, __ATOMIC_RELAXED);
    bool asked = now != requests;
    requests = now;
    if (asked || __atomic_load_n(&agent.deliveries, __ATOMIC_RELAXED) != deliveries_before) recording.silent_rounds = 0;
    else recording.silent_rounds++;
    return asked || (buffers_are_out() && recording.silent_rounds < SILENT_ROUNDS);
}

void recording_collect(void) {
    static uint64_t deliveries;
    pthread_mutex_lock(&recording.changing);
    if (recording.on && spool_is_full()) stop(); /* Records that cannot be kept still cost the program. */
    if (call_to_be_heard() && recording.on && is_heard(deliveries)) agent.cupti.flush_all(0);
    deliveries = __atomic_load_n(&agent.deliveries, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&recording.changing);
}

void recording_end(void) {
    pthread_mutex_lock(&recording.changing);
    if (recording.on) stop();
    pthread_mutex_unlock(&recording.changing);
}

static void note_pause(uint64_t from_ns, uint64_t until_ns) {
    pthread_mutex_lock(&agent.storing);
    if (!agent.closed) say_not_recorded(from_ns, until_ns);
    pthread_mutex_unlock(&agent.storing);
}

/* Called by the probe before the program's own profiler prepares itself: what is recorded is handed over, and the records are the profiler's. Returns 1
 * when the agent was recording. */
EXPORTED int inferscope_agent_pause(void) {
    if (getpid() != agent.owner) return 0;
    pthread_mutex_lock(&recording.changing);
    bool paused = recording.on;
    if (paused) {
        stop();
        recording.since_ns = monotonic_ns();
        note_pause(recording.since_ns, 0);
    }
    pthread_mutex_unlock(&recording.changing);
    return paused;
}

/* Called by the probe when the program's own profiler has stopped. Returns 1 when the agent records again. */
EXPORTED int inferscope_agent_resume(void) {
    if (getpid() != agent.owner) return 0;
    pthread_mutex_lock(&recording.changing);
    if (recording.since_ns != 0 && !recording.on && !agent.closed && begin()) {
        note_pause(recording.since_ns, monotonic_ns());
        recording.since_ns = 0;
    }
    bool on = recording.on;
    pthread_mutex_unlock(&recording.changing);
    return on;
}
