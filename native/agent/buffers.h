#ifndef INFERSCOPE_BUFFERS_H
#define INFERSCOPE_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns a buffer and its size; the discard buffer if too many are in use. Never NULL, because libcupti of CUDA before
 * 12.9 uses the pointer without a check. */
uint8_t *buffer_take(size_t *bytes);
/* Returns the discard buffer, which all threads share. */
uint8_t *buffer_discard(size_t *bytes);
bool buffer_is_discard(const uint8_t *buffer);
/* Returns whether the buffer is the agent's: a buffer of another profiler may be returned to the agent. */
bool buffer_is_own(const uint8_t *buffer);
bool buffers_are_out(void);
/* Forgets the buffers that CUPTI has not returned: another profiler may have got and freed them. */
void buffers_forget(void);
void buffer_give_back(uint8_t *buffer);

#endif
