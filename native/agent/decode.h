/* Converts CUPTI's activity records to spool records. */
#ifndef INFERSCOPE_DECODE_H
#define INFERSCOPE_DECODE_H

#include <stddef.h>
#include <stdint.h>

/* `own` is the low half of the agent's own pthread id. */
void decode_prepare(uint32_t own);
/* Returns how many of the agent's own calls were recorded. */
uint64_t decode_heard(void);
/* Returns how many kernels of graphs were recorded. */
uint64_t decode_graph_kernels(void);
/* Stores one activity record; `room` is the number of bytes left in its buffer. */
void decode(const uint8_t *activity, size_t room);

#endif
