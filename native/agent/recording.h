/* Recording by CUPTI: begun, interrupted for the program's own profiler, ended. */
#ifndef INFERSCOPE_RECORDING_H
#define INFERSCOPE_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

/* Registers for records and enables them. Returns false when no device work can be recorded; what was refused is noted. */
bool recording_begin(void);
/* Has CUPTI hand over what is ready, unless somebody else receives the records. */
void recording_collect(void);
/* Stops for good: nothing more is recorded, and what was is handed over. */
void recording_end(void);

#endif
