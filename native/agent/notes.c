/* The agent's records about itself: coverage, notes, clock readings, its own cost. */
#include "clocks.h"
#include "intern.h"
#include "notes.h"
#include "spool.h"
#include "table.h"

/* Facts about the whole recording, kept for the spool's next files. */
enum { MAX_SAID = 24 };

struct said {
    uint8_t *key, *text; /* key NULL: coverage */
    uint16_t status;
};

struct cost {
    uint64_t cpu_ns, held_up_ns, events;
};

static struct {
    struct said said[MAX_SAID];
    uint32_t said_count;
    struct moment last; /* stored */
    uint64_t recorded_from_ns, recorded_until_ns; /* the last recorded interval, repeated in the spool's next files; 0, 0: none */
    struct cost written, before; /* written: of all files so far; before: of the files before this one */
    uint32_t pid, clock_name, own_name;
    uint8_t *cost;         /* the record of the agent's own cost, updated in place */
    uint64_t elsewhere_ns; /* CPU time in callbacks on threads other than the agent's */
    uint64_t held_up_ns;   /* time for which threads of the program waited for the agent */
} notes;

static void name_clocks(void) {
    notes.clock_name = intern_text("cupti");
    notes.own_name = intern_text("cuda-agent");
}

void notes_prepare(pid_t pid) {
    notes.pid = (uint32_t)pid;
    notes.said_count = 0;
    notes.elsewhere_ns = 0;
    notes.before = (struct cost){0, notes.held_up_ns, spool_stored()};
    notes.recorded_from_ns = notes.recorded_until_ns = 0;
    name_clocks();
}

static void keep(const char *key, const char *text, uint16_t status) {
    if (notes.said_count == MAX_SAID) return;
    uint8_t *kept_key = key == NULL ? NULL : keep_bytes(key, strlen(key) + 1), *kept = keep_bytes(text, strlen(text) + 1);
    if (kept != NULL && (key == NULL || kept_key != NULL)) notes.said[notes.said_count++] = (struct said){kept_key, kept, status};
}

static void store_coverage(const char *why, uint16_t status) {
    uint32_t text = intern_text(why);
    uint8_t *record = spool_begin(SPOOL_COVERAGE_BYTES);
    if (record == NULL) return;
    put32(record, SPOOL_COVERAGE_SOURCE, notes.own_name);
    put32(record, SPOOL_COVERAGE_WHY, text);
    put64(record, SPOOL_COVERAGE_MISSING, status == SPOOL_STATUS_NOT_RECORDED);
    put32(record, SPOOL_COVERAGE_PID, notes.pid);
    put16(record, SPOOL_COVERAGE_STATUS, status);
    spool_end(record, SPOOL_COVERAGE);
}

void say_coverage(const char *why, uint16_t status) {
    keep(NULL, why, status);
    store_coverage(why, status);
}

static void store_note(const char *key, const char *value) {
    uint32_t key_id = intern_text(key), value_id = intern_text(value);
    uint8_t *record = spool_begin(SPOOL_NOTE_BYTES);
    if (record == NULL) return;
    put32(record, SPOOL_NOTE_KEY, key_id);
    put32(record, SPOOL_NOTE_VALUE, value_id);
    put32(record, SPOOL_NOTE_PID, notes.pid);
    spool_end(record, SPOOL_NOTE);
}

void say_note(const char *key, const char *value) {
    keep(key, value, 0);
    store_note(key, value);
}

void store_moment(const struct moment *now) {
    notes.last = *now;
    uint8_t *record = spool_begin(SPOOL_CLOCK_WITH_TICKS_BYTES);
    if (record == NULL) return;
    put64(record, SPOOL_CLOCK_MONOTONIC_NS, now->monotonic_ns);
    put64(record, SPOOL_CLOCK_REALTIME_NS, now->realtime_ns);
    put64(record, SPOOL_CLOCK_DOMAIN_TIME, now->cupti);
    put32(record, SPOOL_CLOCK_DOMAIN, notes.clock_name);
    put32(record, SPOOL_CLOCK_UNCERTAINTY_NS, now->uncertainty_ns);
    put64(record, SPOOL_CLOCK_TICKS, now->ticks);
    spool_end(record, SPOOL_CLOCK);
}

/* The record is in block 0, which stays mapped and is sealed last. */
void begin_cost(void) {
    uint8_t *record = spool_begin(SPOOL_OVERHEAD_BYTES);
    if (record == NULL) return;
    put32(record, SPOOL_OVERHEAD_RECORDER, notes.own_name);
    put32(record, SPOOL_OVERHEAD_PID, notes.pid);
    spool_end(record, SPOOL_OVERHEAD);
    notes.cost = record;
}

void update_cost(uint64_t cpu_ns) {
    if (notes.cost == NULL) return;
    notes.written = (struct cost){cpu_ns + notes.elsewhere_ns, notes.held_up_ns, spool_stored()};
    put64(notes.cost, SPOOL_OVERHEAD_CPU_NS, notes.written.cpu_ns - notes.before.cpu_ns);
    put64(notes.cost, SPOOL_OVERHEAD_HELD_UP_NS, notes.written.held_up_ns - notes.before.held_up_ns);
    put64(notes.cost, SPOOL_OVERHEAD_EVENTS, notes.written.events - notes.before.events);
}

void add_cost(uint64_t cpu_ns) { notes.elsewhere_ns += cpu_ns; }

static void store_recorded_only(uint64_t from_ns, uint64_t until_ns) {
    uint8_t *record = spool_begin(SPOOL_RECORDED_ONLY_BYTES);
    if (record == NULL) return;
    put64(record, SPOOL_RECORDED_ONLY_START_NS, from_ns);
    put64(record, SPOOL_RECORDED_ONLY_END_NS, until_ns);
    spool_end(record, SPOOL_RECORDED_ONLY);
}

void notes_again(void) {
    notes.before = notes.written;
    notes.cost = NULL;
    name_clocks();
    begin_cost();
    for (uint32_t i = 0; i < notes.said_count; i++) {
        struct said *one = &notes.said[i];
        if (one->key == NULL) store_coverage((const char *)one->text, one->status);
        else store_note((const char *)one->key, (const char *)one->text);
    }
    if (notes.last.monotonic_ns != 0) store_moment(&notes.last);
    if (notes.recorded_from_ns != 0) store_recorded_only(notes.recorded_from_ns, notes.recorded_until_ns);
    if (spool_kept_since_ns() != 0) store_recorded_only(spool_kept_since_ns(), 0);
}

void say_recorded_only(uint64_t from_ns, uint64_t until_ns) {
    notes.recorded_from_ns = from_ns;
    notes.recorded_until_ns = until_ns;
    store_recorded_only(from_ns, until_ns);
}

void say_pace(uint64_t from_ns, uint64_t until_ns, uint64_t launches, uint64_t busy_ns, bool contended, uint16_t detail) {
    uint8_t *record = spool_begin(SPOOL_PACE_BYTES);
    if (record == NULL) return;
    spool_flags(record, contended ? SPOOL_PACE_FLAG_CONTENDED : 0);
    put64(record, SPOOL_PACE_START_NS, from_ns);
    put64(record, SPOOL_PACE_END_NS, until_ns);
    put64(record, SPOOL_PACE_LAUNCHES, launches);
    put64(record, SPOOL_PACE_BUSY_NS, busy_ns);
    put16(record, SPOOL_PACE_DETAIL, detail);
    spool_end(record, SPOOL_PACE);
}

void say_not_recorded(uint64_t from_ns, uint64_t until_ns) {
    uint8_t *record = spool_begin(SPOOL_NOT_RECORDED_BYTES);
    if (record == NULL) return;
    put64(record, SPOOL_NOT_RECORDED_START_NS, from_ns);
    put64(record, SPOOL_NOT_RECORDED_END_NS, until_ns);
    spool_end(record, SPOOL_NOT_RECORDED);
}

void say_held_up(const char *name, uint32_t tid, uint64_t since_ns) {
    uint32_t text = intern_text(name);
    uint64_t now_ns = monotonic_ns();
    notes.held_up_ns += now_ns - since_ns;
    uint8_t *record = spool_begin(SPOOL_SPAN_BYTES);
    if (record == NULL) return;
    put64(record, SPOOL_SPAN_START_NS, since_ns);
    put64(record, SPOOL_SPAN_END_NS, now_ns);
    put32(record, SPOOL_SPAN_TID, tid);
    put32(record, SPOOL_SPAN_NAME, text);
    put16(record, SPOOL_SPAN_ACTIVITY, SPOOL_ACTIVITY_PROFILER);
    put32(record, SPOOL_SPAN_PID, notes.pid);
    spool_end(record, SPOOL_SPAN);
}
