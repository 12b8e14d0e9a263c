/* What the agent stores about itself. */
#ifndef INFERSCOPE_NOTES_H
#define INFERSCOPE_NOTES_H

#include "clocks.h"

#include <stdint.h>
#include <sys/types.h>

/* A recording begins. */
void notes_prepare(pid_t pid);
void say_coverage(const char *why, uint16_t status);
void say_note(const char *key, const char *value);
/* Stores what four clocks showed. The records of a buffer lie before the moment that follows them. */
void store_moment(const struct moment *now);
/* Stores, in another file of the spool, once more what holds for all of them: what is not recorded, the notes, the last moment, the
 * stretch that is recorded only. The cost is that of each file. */
void notes_again(void);
/* Stores that device work is recorded in this stretch only, as the user asked; until 0: to the end. */
void say_recorded_only(uint64_t from_ns, uint64_t until_ns);
/* Stores that nothing was recorded while the program's own profiler recorded; until 0: it goes on. */
void say_not_recorded(uint64_t from_ns, uint64_t until_ns);
/* Begins the record of the agent's own cost; later its figures are updated: the CPU time of the agent's thread, and what others spent. */
void begin_cost(void);
void update_cost(uint64_t own_thread_ns);
void add_cost(uint64_t cpu_ns);
/* Stores that the agent held a thread of the program up until now: a span of the profiler's own, and part of the cost that update_cost writes. */
void say_held_up(const char *name, uint32_t tid, uint64_t since_ns);

#endif
