/* The agent's records about itself. */
#ifndef INFERSCOPE_NOTES_H
#define INFERSCOPE_NOTES_H

#include "clocks.h"

#include <stdint.h>
#include <sys/types.h>

/* Called when a recording begins. */
void notes_prepare(pid_t pid);
void say_coverage(const char *why, uint16_t status);
void say_note(const char *key, const char *value);
/* Stores a reading of four clocks. The records of a buffer are earlier than the reading that follows them. */
void store_moment(const struct moment *now);
/* Stores in a new file of the spool the facts that hold for all files: coverage, notes, the last clock reading, the
 * recorded interval. Cost records count per file. */
void notes_again(void);
/* Stores that device work is recorded only in this interval, as the user requested; until 0: to the end. */
void say_recorded_only(uint64_t from_ns, uint64_t until_ns);
/* Stores that nothing was recorded while the program's own profiler recorded; until 0: still going on. */
/* Says how many launches there were in a stretch that was recorded with some detail; DETAIL_OFF: between windows. */
void say_pace(uint64_t from_ns, uint64_t until_ns, uint64_t launches, uint64_t busy_ns, bool contended, uint16_t detail);
void say_not_recorded(uint64_t from_ns, uint64_t until_ns);
/* Begins the record of the agent's own cost, whose figures are updated later: the CPU time of the agent's thread, and
 * of callbacks on other threads. */
void begin_cost(void);
void update_cost(uint64_t own_thread_ns);
void add_cost(uint64_t cpu_ns);
/* Stores that the agent delayed a thread of the program until now: as a span of the profiler, and as a part of the cost
 * in update_cost. */
void say_held_up(const char *name, uint32_t tid, uint64_t since_ns);

#endif
