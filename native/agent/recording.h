/* Recording by CUPTI: begun, interrupted for the program's own profiler, ended. */
#ifndef INFERSCOPE_RECORDING_H
#define INFERSCOPE_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

/* Registers for records and enables them; `late` where contexts may be there. Returns false when no device work can be recorded; what was refused is
 * noted. */
bool recording_begin(bool late);
/* Returns what was refused last. */
const char *recording_refusal(void);
/* Has CUPTI hand over what is ready, unless somebody else receives the records. */
void recording_collect(void);
/* Returns when it begins or stops next, on the monotonic clock; UINT64_MAX: at no known time. */
uint64_t recording_edge_ns(void);
/* Stores how the flushes went, and how many of the agent's own calls were heard of. Called while something is stored. */
void recording_say_flushes(uint64_t heard);
/* Stops for good: nothing more is recorded, and what was is handed over. */
void recording_end(void);

#endif
