/* Recording by CUPTI: begun, interrupted for the program's own profiler, ended. */
#ifndef INFERSCOPE_RECORDING_H
#define INFERSCOPE_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

/* Registers for records and enables them. `late`: contexts may exist already. Returns false if no device work can be
 * recorded. Refusals are noted. */
bool recording_begin(bool late);
/* Returns the last refusal in words. */
const char *recording_refusal(void);
/* Makes CUPTI return its ready buffers, unless another profiler receives the records. */
void recording_collect(void);
/* Returns when recording begins or stops next, on the monotonic clock; UINT64_MAX: unknown. */
uint64_t recording_edge_ns(void);
/* Stores statistics of the flushes, and how many records of the agent's own calls arrived. Called while `storing` is
 * held. */
void recording_say_flushes(uint64_t heard);
/* Stops permanently and stores the last records. */
void recording_end(void);

#endif
