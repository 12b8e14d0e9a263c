/* The detail of recording, with INFERSCOPE_GPU_DETAIL=auto: it falls while recording makes the program slower than it may.
 *
 *   recorded    |== r1 ==|        |== r2 ==|        |== r3 ==|
 *   between     .        |-- u1 --|        |-- u2 --|        |
 *   pairs                          r2 : u1           r3 : u2      times per launch
 *
 * A stretch counts by its launches, which the preloaded hooks count in both: by all of its time per launch, and by the busy part of it alone. Only the
 * latter shows what recording costs a server with few requests, which launches as often however slow it is. It is not known while those threads wait for
 * a CPU: such a wait counts inside a call, but not between two of them if it is long. The detail falls once the mean of the pairs
 * of either is above the limit, and either the interval around it (95 %, Student's distribution) is too, or it is narrower than the limit after ENOUGH
 * pairs. So a noisy machine changes nothing, and the report says how wide the interval is. The detail never rises. Steps, which the report compares, are
 * not known here. */
#include "levels.h"
#include "../launches/launches.h"
#include "libc_floor.h"
#include "notes.h"
#include "running.h"
#include "spool.h"
#include "threads.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert((int)DETAIL_LAUNCHES == SPOOL_DETAIL_LAUNCHES && (int)DETAIL_OFF == SPOOL_DETAIL_OFF, "the agent's details are those of the spool");

enum { FEWEST = 3, ENOUGH = 8, MOST = 32, FEWEST_LAUNCHES = 10, PAUSE_NS = 1000000, LEAST_NS = 20000 };

static const char *const DETAILS[] = {"full", "launches", "kernels"};

/* The 97.5th percentiles of Student's distribution by degrees of freedom, from 2 to 6. */
static const double STUDENT[] = {4.303, 3.182, 2.776, 2.571, 2.447};

static struct {
    enum gpu_detail detail;
    bool adapts, judged, judged_at_work, chooses_calls;
    double total_ns, total_busy_ns; /* of all stretches */
    double limit;           /* a share, such as 0.1 */
    struct launches *hooks; /* NULL: nothing is counted */
    uint64_t since_ns, since_ticks, counted, busy, delay_ns; /* when the open stretch began, 0: none, and what was counted before */
    struct by {
        double between; /* a launch's time in the last stretch between windows, in ns, or at work in ticks; 0: not known */
        double pairs, sum, squares;
    } all, at_work;
} levels;

void levels_read(void) {
    const char *detail = secure_getenv("INFERSCOPE_GPU_DETAIL"), *limit = secure_getenv("INFERSCOPE_GPU_OVERHEAD");
    levels.detail = DETAIL_FULL;
    for (int i = DETAIL_FULL; i < DETAIL_OFF; i++)
        if (detail != NULL && strcmp(detail, DETAILS[i]) == 0) levels.detail = (enum gpu_detail)i;
    levels.chooses_calls = detail != NULL && strcmp(detail, "calls") == 0;
    levels.adapts = detail != NULL && strcmp(detail, "auto") == 0;
    levels.limit = limit == NULL ? 0 : (double)strtoul(limit, NULL, 10) / 10000; /* hundredths of a percent */
}

bool levels_adapt(void) { return levels.adapts; }

enum gpu_detail levels_detail(void) { return levels.detail; }

bool levels_choose_calls(void) { return levels.chooses_calls; }

void levels_count(struct launches *hooks) {
    uint64_t ns = monotonic_ns(), ticks = launches_ticks(), later_ns = ns;
    while (later_ns < ns + LEAST_NS) later_ns = monotonic_ns();
    hooks->pause = (launches_ticks() - ticks) * PAUSE_NS / (later_ns - ns);
    levels.hooks = hooks;
    __atomic_store_n(&hooks->counting, true, __ATOMIC_RELAXED);
}

/* Longest waits for a CPU, as a share of busy time, with which that is known. */
static const double MOST_DELAY = 0.05;

/* Returns how long the threads that launch, and still live, have waited for a CPU so far; UINT64_MAX if that is not known of any. */
static uint64_t delay_ns(void) {
    uint32_t count = __atomic_load_n(&levels.hooks->thread_count, __ATOMIC_RELAXED);
    uint64_t sum_ns = 0, known = 0;
    if (count > LAUNCHES_THREADS) return UINT64_MAX;
    pthread_mutex_lock(&agent.storing);
    threads_round();
    for (uint32_t i = 0; i < count; i++) {
        char path[64], text[96] = "";
        unsigned long long ran, waited = 0;
        snprintf(path, sizeof path, "/proc/self/task/%u/schedstat", thread_of(__atomic_load_n(&levels.hooks->of_threads[i].thread, __ATOMIC_ACQUIRE)));
        int file = open(path, O_RDONLY | O_CLOEXEC);
        bool is_read = file >= 0 && read(file, text, sizeof text - 1) > 0 && sscanf(text, "%19llu %19llu", &ran, &waited) == 2;
        if (file >= 0) close(file);
        if (is_read) known++, sum_ns += waited;
    }
    pthread_mutex_unlock(&agent.storing);
    return count == 0 || known > 0 ? sum_ns : UINT64_MAX;
}

/* Adds up what the threads count. */
static void sum(uint64_t *counted, uint64_t *busy) {
    *counted = *busy = 0;
    for (int i = 0; i <= LAUNCHES_THREADS; i++) {
        *counted += __atomic_load_n(&levels.hooks->of_threads[i].counted, __ATOMIC_RELAXED);
        *busy += __atomic_load_n(&levels.hooks->of_threads[i].busy, __ATOMIC_RELAXED);
    }
}

void levels_open(void) {
    if (levels.hooks == NULL) return;
    levels.delay_ns = delay_ns();
    sum(&levels.counted, &levels.busy);
    levels.since_ticks = launches_ticks();
    levels.since_ns = monotonic_ns();
}

void levels_forget(void) { levels.since_ns = 0, levels.all.between = levels.at_work.between = 0; }

/* Difference of two times relative to their middle: unlike a ratio, noise of either one makes it neither larger nor smaller on average. */
static double difference(double longer, double than) { return 2 * (longer - than) / (longer + than); }

/* Returns whether the pairs are above the limit. */
static bool is_too_slow(const struct by *by) {
    double mean = by->sum / by->pairs, limit = difference(1 + levels.limit, 1), above = mean - limit;
    if (by->pairs < FEWEST || above <= 0) return false;
    int freedom = (int)by->pairs - 1;
    double student = freedom < 7 ? STUDENT[freedom - 2] : 2.4, variance = (by->squares - mean * by->sum) / freedom;
    double half_squared = student * student * variance / by->pairs;
    return above * above > half_squared || (by->pairs >= ENOUGH && half_squared < limit * limit);
}

static void fall(const struct by *by) {
    char text[240];
    enum gpu_detail before = levels.detail++;
    double mean = by->sum / by->pairs;
    bool off = levels.detail == DETAIL_OFF;
    snprintf(text, sizeof text, "%s: launches took %.0f %% longer%s while %s recorded, more than --overhead permits", off ? "recording of device work ended" : "less is recorded from here on",
        100 * (2 + mean) / (2 - mean) - 100, by == &levels.all ? "" : ", without the program's pauses of more than 1 ms,",
        before == DETAIL_FULL ? "everything was" : before == DETAIL_LAUNCHES ? "launches and device work were" : "device work alone was");
    levels.all = levels.at_work = (struct by){0};
    say_coverage(text, off ? SPOOL_STATUS_NOT_RECORDED : SPOOL_STATUS_OK);
}

/* Adds a stretch's time per launch to its pairs. Returns whether they are above the limit. */
static bool add(struct by *by, double launch, bool recorded) {
    double longer = difference(launch, by->between);
    bool is_pair = recorded && launch > 0 && by->between > 0;
    by->between = recorded ? 0 : launch;
    if (!is_pair) return false;
    if (by->pairs + 1 >= FEWEST) *(by == &levels.all ? &levels.judged : &levels.judged_at_work) = true;
    by->pairs++, by->sum += longer, by->squares += longer * longer;
    if (by->pairs > MOST) by->pairs /= 2, by->sum /= 2, by->squares /= 2; /* What was long ago counts less. */
    return is_too_slow(by);
}

void levels_close(bool recorded) {
    if (levels.since_ns == 0) return;
    uint64_t since_ns = levels.since_ns, now_ns = monotonic_ns(), launches, busy;
    sum(&launches, &busy);
    launches -= levels.counted, busy -= levels.busy;
    double ns = (double)(now_ns - since_ns), busy_ns = (double)busy * ns / (double)(launches_ticks() - levels.since_ticks);
    uint64_t waited_ns = delay_ns();
    bool contended = waited_ns == UINT64_MAX || levels.delay_ns == UINT64_MAX || (double)(waited_ns - levels.delay_ns) > MOST_DELAY * busy_ns;
    levels.total_ns += ns, levels.total_busy_ns += busy_ns;
    double count = launches < FEWEST_LAUNCHES ? 0 : 1 / (double)launches;
    levels.since_ns = 0;
    pthread_mutex_lock(&agent.storing);
    if (!agent.closed) say_pace(since_ns, now_ns, launches, (uint64_t)busy_ns, contended, recorded ? levels.detail : DETAIL_OFF);
    bool slow = add(&levels.all, ns * count, recorded), slow_at_work = add(&levels.at_work, contended ? 0 : (double)busy * count, recorded);
    if (levels.adapts && (slow || slow_at_work)) fall(slow ? &levels.all : &levels.at_work);
    pthread_mutex_unlock(&agent.storing);
}

void levels_end(void) {
    bool pauses = 2 * levels.total_busy_ns < levels.total_ns;
    if (levels.hooks == NULL || (levels.judged && (levels.judged_at_work || !pauses))) return;
    pthread_mutex_lock(&agent.storing);
    if (!agent.closed && levels.judged)
        say_coverage("what recording costs is not known: the program pauses most of the time, and its threads waited for CPUs that others used; "
                     "record it where nothing else runs, or give its requests a range (inferscope.scope)", SPOOL_STATUS_OK);
    else if (!agent.closed && levels.adapts)
        say_coverage("everything is recorded: what that costs is not known, because fewer than three windows, and the times before them, had ten launches each; "
                     "a longer run, or longer windows (--gpu-window), can show it", SPOOL_STATUS_OK);
    pthread_mutex_unlock(&agent.storing);
}
