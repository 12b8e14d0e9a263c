/* clang-format off */
/* A process has one receiver of CUPTI's activity records: the one registered last. The program's own profiler may
 * register after the agent, so the agent can pause and resume. It does not request records that belong to another
 * receiver, because old versions of Kineto then provide no buffer.
 *
 *   recording --pause--> paused --resume--> recording
 *       |                                       |
 *       +-- no requests for the agent's buffers: silent, until one comes
 *
 * It also stops outside the windows that the user requested, and permanently when nothing more can be stored. */
/* clang-format on */
#include "buffers.h"
#include "calls.h"
#include "clocks.h"
#include "decode.h"
#include "delivery.h"
#include "launches.h"
#include "levels.h"
#include "libc_floor.h"
#include "notes.h"
#include "recording.h"
#include "running.h"
#include "spool.h"
#include "subscriber.h"
#include "windows.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* After this many rounds without a returned buffer another profiler receives the records; a busy machine delays one or
 * two rounds. */
enum { SILENT_ROUNDS = 5, FIRST_API_OF_CUDA_12 = 19, FIRST_API_OF_HOST_FUNCTIONS = 130100, FIRST_API_OF_SAFE_HARDWARE_TRACING = 130401 /* hardware-flush of cupti-defects.tsv */ };

/* Results of libcupti of CUDA 13.2 and later if another client uses its second interface, which allows several
 * subscribers. */
enum { NOT_COMPATIBLE = 14, MULTIPLE_SUBSCRIBERS = 39 };

static const int KINDS[] = {KIND_CONCURRENT_KERNEL, KIND_DEVICE, KIND_CONTEXT, KIND_MEMCPY, KIND_MEMCPY_PEER, KIND_MEMSET, KIND_RUNTIME, KIND_DRIVER,
    KIND_SYNCHRONIZATION, KIND_OVERHEAD, KIND_EXTERNAL_CORRELATION, KIND_CUDA_EVENT, KIND_MARKER, KIND_HOST_LAUNCH, KIND_GRAPH_HOST_NODE};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS, DEVICE_KINDS = 6 /* the first ones are of devices and their work alone */ };

static struct {
    pthread_mutex_t changing; /* one change or flush at a time; never taken in a callback of CUPTI */
    bool enabled[KIND_COUNT]; /* by the agent; kinds enabled by others stay unchanged */
    bool registered;          /* as receiver, and not paused since */
    bool on;                  /* kinds enabled */
    bool begun;
    bool late;                /* contexts may exist already */
    bool over;                /* ended permanently: refused, full, or the program ends */
    bool whole_graphs;        /* enabled, and not disabled since */
    bool chosen_calls;        /* recorded without their kinds, in place of all kinds but the device's */
    uint32_t unheard_rounds;  /* since they are */
    uint64_t begun_ns;        /* when recording began */
    uint64_t since_ns;        /* begin of the current pause; 0 if not paused */
    struct {
        uint64_t count, ns, longest_ns;
    } flushes;
    struct window window;     /* the current or next window, if windows were requested */
    uint32_t silent_rounds;
    int (*driver_version)(int *);
} recording = {.changing = PTHREAD_MUTEX_INITIALIZER};

static char refusal[384];

const char *recording_refusal(void) { return refusal; }

static void note_coverage(const char *text, uint16_t status) {
    pthread_mutex_lock(&agent.storing);
    say_coverage(text, status);
    pthread_mutex_unlock(&agent.storing);
}

static void fail_call(const char *call, int kind, int result) {
    const char *text = NULL;
    bool other = result == NOT_COMPATIBLE || result == MULTIPLE_SUBSCRIBERS;
    const char *name = subscriber_other();
    if (agent.cupti.result_text != NULL) agent.cupti.result_text(result, &text);
    snprintf(refusal, sizeof refusal, "libcupti refused %s(%d): error %d %s%s%s%s", call, kind, result, text == NULL ? "" : text,
        *name == 0 ? "" : "; in use by ", name, other ? "; a profiler in the program uses CUPTI's interface for several subscribers (CUDA 13.2 and later), as JAX's does, and CUPTI records for"
                " clients of one kind only" : "");
    note_coverage(refusal, SPOOL_STATUS_NOT_RECORDED);
}

/* Versions before CUDA 12 have no records of events. Those of host functions are recorded on request. */
static bool is_known(int kind) {
    uint32_t version = UINT32_MAX;
    if (agent.cupti.version != NULL) agent.cupti.version(&version);
    if (kind != KIND_HOST_LAUNCH && kind != KIND_GRAPH_HOST_NODE) return kind != KIND_CUDA_EVENT || version >= FIRST_API_OF_CUDA_12;
    if (secure_getenv("INFERSCOPE_GPU_HOST_FUNCTIONS") == NULL) return false;
    if (version < FIRST_API_OF_HOST_FUNCTIONS && kind == KIND_HOST_LAUNCH)
        note_coverage("functions of the host that streams run are not recorded: libcupti of CUDA 13.1 and later can record them", SPOOL_STATUS_NOT_RECORDED);
    return version >= FIRST_API_OF_HOST_FUNCTIONS;
}

static bool are_all_calls_wanted(void) { return levels_detail() == DETAIL_FULL && !recording.chosen_calls; }

static bool enable_kinds(void) {
    size_t count = are_all_calls_wanted() ? KIND_COUNT : DEVICE_KINDS;
    launches_record(true);
    for (size_t i = 0; i < count; i++) {
        if (!is_known(KINDS[i])) continue;
        bool late = recording.late && (KINDS[i] == KIND_DEVICE || KINDS[i] == KIND_CONTEXT) && agent.cupti.enable_and_dump != NULL;
        int result = late ? agent.cupti.enable_and_dump(KINDS[i]) : agent.cupti.enable(KINDS[i]);
        recording.enabled[i] = result == CUPTI_OK;
        if (result != CUPTI_OK) fail_call("cuptiActivityEnable", KINDS[i], result);
        if (result != CUPTI_OK && i == 0) return false;
    }
    if (!recording.chosen_calls) calls_silence();
    return true;
}

/* Records only calls that launch or wait, if the user asked for it. As reported of CUDA 13.0, switches of single calls work from before the first context
 * on, and not again once their kind was on, which it is in windows and by other profilers. Otherwise all calls are recorded. */
static void begin_chosen_calls(void) {
    if (!levels_choose_calls()) return;
    bool early = !recording.late && !windows_are_asked();
    recording.chosen_calls = early && calls_choose(true);
    if (!recording.chosen_calls) {
        if (early) calls_choose(false);
        note_coverage(early ? "all calls are recorded: libcupti has no switches of single calls, as before CUDA 12.5, or refused one" : "all calls are recorded: single ones only from before the first CUDA call on, without windows", SPOOL_STATUS_OK);
        return;
    }
    pthread_mutex_lock(&agent.storing);
    say_note("gpu_detail", "calls");
    pthread_mutex_unlock(&agent.storing);
}

/* If work is recorded, but not even the agent's own call, the switches do nothing: all calls are recorded from now on. */
static void check_chosen_calls(void) {
    if (!recording.chosen_calls || !recording.on || decode_heard() > 0 || __atomic_load_n(&agent.deliveries, __ATOMIC_RELAXED) == 0) return;
    if (++recording.unheard_rounds < SILENT_ROUNDS) return;
    recording.chosen_calls = false;
    enable_kinds();
    note_coverage("launches are recorded from here on only, and then all calls: libcupti accepted switches of single calls, but recorded none", SPOOL_STATUS_NOT_RECORDED);
}

/* Records graphs as a whole if the user asked for it. libcupti reads a null pointer when a graph is launched that was
 * instantiated while it did not record graphs as a whole (13.0.85, in cuGraphLaunch). So this begins before the program
 * can instantiate any, and never again after it ended. Other threads may store at the same time. */
static void begin_whole_graphs(void) {
    const char *how = secure_getenv("INFERSCOPE_GPU_GRAPHS");
    if (how == NULL || strcmp(how, "whole") != 0) return;
    bool early = !recording.late && !windows_are_asked();
    recording.whole_graphs = early && agent.cupti.enable(KIND_GRAPH_TRACE) == CUPTI_OK;
    if (recording.whole_graphs) return;
    pthread_mutex_lock(&agent.storing);
    say_note("cuda_graphs", early ? "recorded kernel by kernel: libcupti refused to record them as a whole"
                                  : "recorded kernel by kernel: as a whole only from before the first CUDA call on");
    pthread_mutex_unlock(&agent.storing);
}

static void disable_kinds(void) {
    if (recording.whole_graphs) agent.cupti.disable(KIND_GRAPH_TRACE);
    recording.whole_graphs = false;
    if (recording.chosen_calls) calls_choose(false);
    recording.chosen_calls = false;
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (recording.enabled[i]) agent.cupti.disable(KINDS[i]);
        recording.enabled[i] = false;
    }
    launches_record(false); /* After the last operation, so that each one's launch is there. */
}

static bool enroll(void) {
    buffers_forget();
    int result = agent.cupti.register_callbacks(on_request, on_complete);
    bool other = result == NOT_COMPATIBLE || result == MULTIPLE_SUBSCRIBERS;
    if (other && !subscriber_is_joined() && subscriber_join(NULL, &agent.cupti)) {
        note_coverage("the agent records beside another subscriber from here on", SPOOL_STATUS_OK);
        result = agent.cupti.register_callbacks(on_request, on_complete);
    }
    if (result != CUPTI_OK) fail_call("cuptiActivityRegisterCallbacks", 0, result);
    recording.registered = result == CUPTI_OK;
    recording.over |= !recording.registered;
    return recording.registered;
}

/* Makes a call that CUPTI must record: if no record arrives, another profiler receives the records. Returns false if
 * the call is not possible. */
static bool call_to_be_heard(void) {
    int version;
    if (recording.driver_version == NULL) {
        void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
        if (driver != NULL) recording.driver_version = (int (*)(int *))dlsym(driver, "cuDriverGetVersion");
    }
    if (recording.driver_version != NULL) recording.driver_version(&version);
    return recording.driver_version != NULL;
}

/* Returns whether CUPTI still requests buffers from the agent. Called while nothing is enabled, so none of the agent's
 * buffers is in use. */
static bool is_receiver(void) {
    uint64_t before = __atomic_load_n(&agent.requests, __ATOMIC_RELAXED);
    if (agent.cupti.enable(KIND_DRIVER) != CUPTI_OK) return true; /* Refusals are noted later. */
    bool asked = !call_to_be_heard() || __atomic_load_n(&agent.requests, __ATOMIC_RELAXED) != before;
    if (!asked || levels_detail() != DETAIL_FULL) agent.cupti.disable(KIND_DRIVER);
    return asked;
}

/* Registers only once: registering again would take the records from a profiler that registered later. */
static void begin(void) {
    bool again = recording.registered && recording.begun;
    if (!recording.registered && !enroll()) return;
    if (again && !is_receiver()) return;
    recording.on = enable_kinds();
    recording.over |= !recording.on;
    recording.silent_rounds = 0;
}

/* Called before the last buffers are requested, so that none is started after them. */
static void stop(void) {
    disable_kinds();
    agent.cupti.flush_all(1);
    recording.on = false;
}

/* Returns whether it is time to record. */
static bool is_time(uint64_t now_ns) {
    if (levels_detail() == DETAIL_OFF) return false;
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

/* Begins or stops recording, depending on the time, on the program's own profiler and on what recording costs. */
static void settle(void) {
    uint64_t now_ns = monotonic_ns();
    if (recording.on && windows_are_asked() && now_ns >= recording.window.end_ns) levels_close(true); /* Before the next window is announced. */
    bool wanted = is_time(now_ns) && recording.since_ns == 0 && !recording.over;
    if (wanted == recording.on) return;
    levels_close(recording.on);
    if (wanted) begin();
    else stop();
    levels_open();
}

bool recording_begin(bool late) {
    pthread_mutex_lock(&recording.changing);
    recording.over = recording.begun = false;
    recording.since_ns = recording.flushes.count = recording.flushes.ns = recording.flushes.longest_ns = 0;
    recording.late = late;
    recording.begun_ns = monotonic_ns();
    if (enroll()) begin_whole_graphs(), begin_chosen_calls(), settle();
    if (recording.over) subscriber_leave();
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

/* Returns whether the agent receives records. Its own call must make CUPTI request a buffer if none is in use, and
 * return one within some rounds. */
static bool is_heard(uint64_t deliveries_before) {
    static uint64_t requests;
    uint64_t now = __atomic_load_n(&agent.requests, __ATOMIC_RELAXED);
    bool asked = now != requests;
    requests = now;
    if (asked || __atomic_load_n(&agent.deliveries, __ATOMIC_RELAXED) != deliveries_before) recording.silent_rounds = 0;
    else recording.silent_rounds++;
    bool calls_are_recorded = levels_detail() == DETAIL_FULL; /* Otherwise its own call has no record. */
    return asked || (buffers_are_out() && (recording.silent_rounds < SILENT_ROUNDS || !calls_are_recorded));
}

/* Ends recording before libcupti's stamps become invalid, where that is known (INFERSCOPE_GPU_GRAPH_LIMIT: first version of
 * the API with the defect, first one without it, number of kernels of graphs). */
static void end_before_defect(void) {
    static unsigned long long first, fixed, most;
    static bool read;
    uint32_t version = 0;
    const char *text = read || are_all_calls_wanted() ? NULL : secure_getenv("INFERSCOPE_GPU_GRAPH_LIMIT");
    read = !are_all_calls_wanted();
    if (text != NULL && sscanf(text, "%10llu %10llu %19llu", &first, &fixed, &most) != 3) most = 0;
    if (most == 0 || recording.over || decode_graph_kernels() < most || agent.cupti.version == NULL || agent.cupti.version(&version) != CUPTI_OK) return;
    if (version < first || version >= fixed) return;
    recording.over = true;
    snprintf(refusal, sizeof refusal, "recording ended after %llu kernels of graphs: with records of kernels alone, the stamps of this libcupti become invalid later",
        (unsigned long long)decode_graph_kernels());
    pthread_mutex_lock(&agent.storing);
    say_coverage(refusal, SPOOL_STATUS_NOT_RECORDED);
    if (!windows_are_asked()) say_recorded_only(recording.begun_ns, monotonic_ns());
    pthread_mutex_unlock(&agent.storing);
}

void recording_collect(void) {
    static uint64_t deliveries;
    pthread_mutex_lock(&recording.changing);
    end_before_defect();
    recording.over |= spool_is_full(); /* Recording costs the program time even if records cannot be stored, so stop. */
    settle();
    if (recording.on && call_to_be_heard() && is_heard(deliveries)) {
        uint64_t before_ns = monotonic_ns();
        agent.cupti.flush_all(0);
        uint64_t ns = monotonic_ns() - before_ns;
        recording.flushes.count++;
        recording.flushes.ns += ns;
        if (ns > recording.flushes.longest_ns) recording.flushes.longest_ns = ns;
    }
    deliveries = __atomic_load_n(&agent.deliveries, __ATOMIC_RELAXED);
    check_chosen_calls();
    pthread_mutex_unlock(&recording.changing);
}

void recording_end(void) {
    pthread_mutex_lock(&recording.changing);
    recording.over = true;
    levels_close(recording.on);
    levels_end();
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

/* Called by the probe before the program's own profiler prepares: stores the agent's records and leaves further records
 * to the profiler. Returns 1 if the agent was recording. */
EXPORTED int inferscope_agent_pause(void) {
    if (getpid() != agent.owner) return 0;
    pthread_mutex_lock(&recording.changing);
    bool paused = recording.since_ns == 0 && !recording.over, recorded = recording.on;
    if (paused) {
        recording.since_ns = monotonic_ns();
        if (recording.chosen_calls) note_coverage("all calls are recorded from here on: another profiler has turned on their kinds", SPOOL_STATUS_OK);
        settle();
        levels_forget();
        subscriber_leave(); /* Such a profiler wants to be the only receiver. */
        recording.registered = false;
        recording.since_ns = monotonic_ns();
        if (recorded || windows_are_asked()) note_pause(recording.since_ns, 0);
    }
    pthread_mutex_unlock(&recording.changing);
    return paused;
}

/* The same before a profiler that can record beside the agent where CUPTI allows several subscribers. */
EXPORTED int inferscope_agent_pause_receiver(void) { return subscriber_is_joined() ? 0 : inferscope_agent_pause(); }

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

/* The same after the program has turned on tracing in hardware (HES), which nobody can turn off: with a libcupti whose flushes may then corrupt the
 * program's memory, the agent never records again. Returns 1 when it does. */
EXPORTED int inferscope_agent_resume_beside_hardware(void) {
    uint32_t version = 0;
    if (getpid() != agent.owner) return 0;
    pthread_mutex_lock(&agent.storing);
    if (!agent.closed) say_note("hardware_tracing", "on");
    pthread_mutex_unlock(&agent.storing);
    if (agent.cupti.version == NULL || agent.cupti.version(&version) != CUPTI_OK || version >= FIRST_API_OF_SAFE_HARDWARE_TRACING) return inferscope_agent_resume();
    pthread_mutex_lock(&recording.changing);
    recording.over = true;
    pthread_mutex_unlock(&recording.changing);
    note_coverage("device work is not recorded from here on: the program turned on CUPTI's tracing in hardware (HES), in which flushes of this libcupti may corrupt the program's memory; "
                  "update libcupti to CUDA 13.4 Update 1, or do not turn it on", SPOOL_STATUS_NOT_RECORDED);
    return 0;
}

/* The same if the profiler was refused. */
EXPORTED int inferscope_agent_stay(void) {
    if (getpid() == agent.owner) note_coverage("libcupti refused the program's own profiler, because the agent is the only receiver: to let it record, run with --no-cuda-agent", SPOOL_STATUS_NOT_RECORDED);
    return inferscope_agent_resume();
}
