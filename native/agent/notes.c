/* What the agent stores about itself: how far it got, what it is in, the clocks, its own cost. */
#include "agent.h"

enum { ACTIVITY_PROFILER = 11 };

static struct {
    const struct cupti *cupti;
    uint32_t pid, clock_name, own_name;
    uint8_t *cost;         /* the record of the agent's own cost, updated in place */
    uint64_t elsewhere_ns; /* CPU time in callbacks on threads that are not the agent's */
    uint64_t held_up_ns;   /* how long threads of the program waited for the agent */
} notes;

void notes_prepare(const struct cupti *cupti, pid_t pid) {
    notes.cupti = cupti;
    notes.pid = (uint32_t)pid;
    notes.clock_name = intern_text("cupti");
    notes.own_name = intern_text("cuda-agent");
}

void say_coverage(const char *why, uint16_t status) {
    uint32_t text = intern_text(why);
    uint8_t *record = spool_begin(40);
    if (record == NULL) return;
    put32(record, 8, notes.own_name);
    put32(record, 12, text);
    put64(record, 24, status == SAID_FAILED);
    put32(record, 32, notes.pid);
    put16(record, 36, status);
    spool_end(record, SPOOL_COVERAGE);
}

void say_note(const char *key, const char *value) {
    uint32_t key_id = intern_text(key), value_id = intern_text(value);
    uint8_t *record = spool_begin(24);
    if (record == NULL) return;
    put32(record, 8, key_id);
    put32(record, 12, value_id);
    put32(record, 16, notes.pid);
    spool_end(record, SPOOL_NOTE);
}

void store_moment(void) {
    struct moment now;
    moment_now(notes.cupti, &now);
    uint8_t *record = spool_begin(48);
    if (record == NULL) return;
    put64(record, 8, now.monotonic_ns);
    put64(record, 16, now.realtime_ns);
    put64(record, 24, now.cupti);
    put32(record, 32, notes.clock_name);
    put32(record, 36, now.uncertainty_ns);
    put64(record, 40, now.ticks);
    spool_end(record, SPOOL_CLOCK);
}

/* The record lies in block 0, which stays mapped and is sealed last. */
void begin_cost(void) {
    uint8_t *record = spool_begin(40);
    if (record == NULL) return;
    put32(record, 24, notes.own_name);
    put32(record, 28, notes.pid);
    spool_end(record, SPOOL_OVERHEAD);
    notes.cost = record;
}

void update_cost(uint64_t cpu_ns) {
    if (notes.cost == NULL) return;
    put64(notes.cost, 8, cpu_ns + notes.elsewhere_ns);
    put64(notes.cost, 16, notes.held_up_ns);
    put64(notes.cost, 32, spool_stored());
}

void add_cost(uint64_t cpu_ns) { notes.elsewhere_ns += cpu_ns; }

void say_held_up(const char *name, uint32_t tid, uint64_t since_ns) {
    uint32_t text = intern_text(name);
    uint64_t now_ns = monotonic_ns();
    notes.held_up_ns += now_ns - since_ns;
    uint8_t *record = spool_begin(56);
    if (record == NULL) return;
    put64(record, 8, since_ns);
    put64(record, 16, now_ns);
    put32(record, 24, tid);
    put32(record, 28, text);
    put16(record, 32, ACTIVITY_PROFILER);
    put32(record, 52, notes.pid);
    spool_end(record, SPOOL_SPAN);
}
