/* A process has one receiver of CUPTI's activity records: who registered last. The program's own profiler may come after the agent, so the agent can
 * step aside and come back, and does not ask for records that are another's: old versions of Kineto hand out no buffer then.
 *
 *   recording --pause--> paused --resume--> recording
 *       |                                       |
 *       +-- nobody asks the agent for buffers: silent, until somebody does
 *
 * It also stops outside the windows that the user asked for, and for good when nothing more can be stored. */
#include "buffers.h"
#include "calls.h"
#include "clocks.h"
#include "delivery.h"
#include "graphs.h"
#include "libc_floor.h"
#include "notes.h"
#include "recording.h"
#include "running.h"
#include "spool.h"
#include "windows.h"

#include <dlfcn.h>
#include <stdio.h>

#define EXPORTED __attribute__((visibility("default")))

/* So many rounds without a buffer back mean that another receives them; a busy machine delays one or two. */
enum { SILENT_ROUNDS = 5, FIRST_API_OF_CUDA_12 = 19 };

/* What libcupti of CUDA 13.2 and later answers where another client uses its second interface, the one for several subscribers. */
enum { NOT_COMPATIBLE = 14, MULTIPLE_SUBSCRIBERS = 39 };

static const int KINDS[] = {KIND_CONCURRENT_KERNEL, KIND_DEVICE, KIND_CONTEXT, KIND_MEMCPY, KIND_MEMCPY_PEER, KIND_MEMSET, KIND_RUNTIME, KIND_DRIVER,
    KIND_SYNCHRONIZATION, KIND_OVERHEAD, KIND_EXTERNAL_CORRELATION, KIND_CUDA_EVENT, KIND_MARKER};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

static struct {
    pthread_mutex_t changing; /* one change or flush at a time; never taken in a callback of CUPTI */
    bool enabled[KIND_COUNT]; /* by the agent: another's kinds stay as they are */
    bool registered;          /* and has not stepped aside since */
    bool on;                  /* kinds enabled */
    bool begun;
    bool late;                /* contexts may be there */
    bool over;                /* for good: refused, full, or the program ends */
    bool whole_graphs;        /* enabled */
    uint64_t since_ns;        /* since when it is paused; 0 when it is not */
    struct {
        uint64_t count, ns, longest_ns;
    } flushes;
    struct window window;     /* that it is in, or waits for; where windows were asked for */
    uint32_t silent_rounds;
    int (*driver_version)(int *);
} recording = {.changing = PTHREAD_MUTEX_INITIALIZER};

static char refusal[384];

const char *recording_refusal(void) { return refusal; }

static void fail_call(const char *call, int kind, int result) {
    const char *text = NULL;
    bool other = result == NOT_COMPATIBLE || result == MULTIPLE_SUBSCRIBERS;
    if (agent.cupti.result_text != NULL) agent.cupti.result_text(result, &text);
    snprintf(refusal, sizeof refusal, "libcupti refused %s(%d): error %d %s%s", call, kind, result, text == NULL ? "" : text,
        other ? "; a profiler in the program uses CUPTI's interface for several subscribers (CUDA 13.2 and later), as JAX's does, and CUPTI records for"
                " clients of one kind only" : "");
    pthread_mutex_lock(&agent.storing);
    say_coverage(refusal, SPOOL_STATUS_NOT_RECORDED);
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
        bool late = recording.late && (KINDS[i] == KIND_DEVICE || KINDS[i] == KIND_CONTEXT) && agent.cupti.enable_and_dump != NULL;
        int result = late ? agent.cupti.enable_and_dump(KINDS[i]) : agent.cupti.enable(KINDS[i]);
        recording.enabled[i] = result == CUPTI_OK;
        if (result != CUPTI_OK) fail_call("cuptiActivityEnable", KINDS[i], result);
        if (result != CUPTI_OK && i == 0) return false;
    }
    calls_silence();
    return true;
}

/* Other threads store meanwhile. */
static void choose_graphs(void) {
    pthread_mutex_lock(&agent.storing);
    bool whole = graphs_choose(monotonic_ns());
    pthread_mutex_unlock(&agent.storing);
    if (whole == recording.whole_graphs) return;
    int result = whole ? agent.cupti.enable(KIND_GRAPH_TRACE) : agent.cupti.disable(KIND_GRAPH_TRACE);
    recording.whole_graphs = whole && result == CUPTI_OK;
    if (!whole || result == CUPTI_OK) return;
    pthread_mutex_lock(&agent.storing);
    graphs_are_nodes();
    pthread_mutex_unlock(&agent.storing);
}

static void disable_kinds(void) {
    if (recording.whole_graphs) agent.cupti.disable(KIND_GRAPH_TRACE);
    recording.whole_graphs = false;
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (recording.enabled[i]) agent.cupti.disable(KINDS[i]);
        recording.enabled[i] = false;
    }
}

static bool enroll(void) {
    int result = agent.cupti.register_callbacks(on_request, on_complete);
    if (result != CUPTI_OK) fail_call("cuptiActivityRegisterCallbacks", 0, result);
    recording.registered = result == CUPTI_OK;
    recording.over |= !recording.registered;
    return recording.registered;
}

/* Makes a call that CUPTI must record: when no record comes, another profiler receives the records. Returns false where it cannot be made. */
static bool call_to_be_heard(void) {
    int version;
    if (recording.driver_version == NULL) {
        void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
        if (driver != NULL) recording.driver_version = (int (*)(int *))dlsym(driver, "cuDriverGetVersion");
    }
    if (recording.driver_version != NULL) recording.driver_version(&version);
    return recording.driver_version != NULL;
}

/* Returns whether the agent is still the one who is asked for buffers. Nothing is enabled then, so none of its own is out. */
static bool is_receiver(void) {
    uint64_t before = __atomic_load_n(&agent.requests, __ATOMIC_RELAXED);
    if (agent.cupti.enable(KIND_DRIVER) != CUPTI_OK) return true; /* What is refused is noted later. */
    bool asked = !call_to_be_heard() || __atomic_load_n(&agent.requests, __ATOMIC_RELAXED) != before;
    if (!asked) agent.cupti.disable(KIND_DRIVER);
    return asked;
}

/* Registering again would take the records from a profiler that registered since. */
static void begin(void) {
    bool again = recording.registered && recording.begun;
    if (!recording.registered && !enroll()) return;
    if (again && !is_receiver()) return;
    recording.on = enable_kinds();
    recording.over |= !recording.on;
    recording.silent_rounds = 0;
    if (recording.on) choose_graphs();
}

/* Before the last buffers are asked for, so that none is begun after them. */
static void stop(void) {
    disable_kinds();
    agent.cupti.flush_all(1);
    recording.on = false;
}

/* Returns whether it is time to record. */
static bool is_time(uint64_t now_ns) {
    if (!windows_are_asked()) return true;
    if (now_ns >= recording.window.end_ns || recording.window.end_ns == 0) {
        pthread_mutex_lock(&agent.storing);
        recording.window = window_at(now_ns);
        uint64_t end_ns = recording.window.end_ns;
        if (!agent.closed) say_recorded_only(recording.window.start_ns, end_ns == UINT64_MAX ? 0 : end_ns);
        pthread_mutex_unlock(&agent.storing);
    }
    return now_ns >= recording.window.start_ns;
}

/* Begins or stops, by what the time and the program's own profiler ask for. */
static void settle(void) {
    bool wanted = is_time(monotonic_ns()) && recording.since_ns == 0 && !recording.over;
    if (wanted && !recording.on) begin();
    else if (!wanted && recording.on) stop();
}

bool recording_begin(bool late) {
    graphs_read();
    windows_read();
    pthread_mutex_lock(&recording.changing);
    recording.over = recording.begun = false;
    recording.since_ns = 0;
    recording.late = late;
    if (enroll()) settle();
    recording.begun = recording.late = true;
    bool begun = !recording.over;
    pthread_mutex_unlock(&recording.changing);
    return begun;
}

uint64_t recording_edge_ns(void) {
    if (!windows_are_asked()) return UINT64_MAX;
    pthread_mutex_lock(&recording.changing);
    uint64_t edge_ns = recording.on ? recording.window.end_ns : recording.window.start_ns;
    pthread_mutex_unlock(&recording.changing);
    return edge_ns > monotonic_ns() ? edge_ns : UINT64_MAX;
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
    recording.over |= spool_is_full(); /* Records that cannot be kept still cost the program. */
    settle();
    if (recording.on && call_to_be_heard() && is_heard(deliveries)) {
        uint64_t before_ns = monotonic_ns();
        agent.cupti.flush_all(0);
        uint64_t ns = monotonic_ns() - before_ns;
        recording.flushes.count++;
        recording.flushes.ns += ns;
        if (ns > recording.flushes.longest_ns) recording.flushes.longest_ns = ns;
        choose_graphs();
    }
    deliveries = __atomic_load_n(&agent.deliveries, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&recording.changing);
}

void recording_end(void) {
    pthread_mutex_lock(&recording.changing);
    recording.over = true;
    if (recording.on) stop();
    pthread_mutex_unlock(&recording.changing);
}

void recording_say_flushes(uint64_t heard) {
    char text[160];
    uint64_t count = recording.flushes.count;
    snprintf(text, sizeof text, "%llu, mean %.1f us, longest %.1f us; %llu of the agent's own calls were recorded", (unsigned long long)count,
        count == 0 ? 0.0 : (double)recording.flushes.ns / (double)count / 1e3, (double)recording.flushes.longest_ns / 1e3, (unsigned long long)heard);
    say_note("cuda_flushes", text);
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
    bool paused = recording.since_ns == 0 && !recording.over, recorded = recording.on;
    if (paused) {
        recording.since_ns = monotonic_ns();
        settle();
        recording.registered = false;
        recording.since_ns = monotonic_ns();
        if (recorded || windows_are_asked()) note_pause(recording.since_ns, 0);
    }
    pthread_mutex_unlock(&recording.changing);
    return paused;
}

/* Called by the probe when the program's own profiler has stopped. Returns 1 when the agent records again. */
EXPORTED int inferscope_agent_resume(void) {
    if (getpid() != agent.owner) return 0;
    pthread_mutex_lock(&recording.changing);
    uint64_t since_ns = recording.since_ns;
    recording.since_ns = 0;
    settle();
    bool on = recording.on;
    if (since_ns != 0 && (on || !recording.over)) note_pause(since_ns, monotonic_ns());
    pthread_mutex_unlock(&recording.changing);
    return on;
}
