#ifndef INFERSCOPE_BUFFERS_H
#define INFERSCOPE_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns a buffer and its size; the one for what is not kept when too many are out. Never NULL: libcupti of CUDA before 12.9 reads what it is given. */
uint8_t *buffer_take(size_t *bytes);
/* Returns the one buffer for what is not kept, which all threads share. */
uint8_t *buffer_discard(size_t *bytes);
bool buffer_is_discard(const uint8_t *buffer);
/* Returns whether the buffer was made here: one that another profiler asked for may come back to the agent. */
bool buffer_is_own(const uint8_t *buffer);
bool buffers_are_out(void);
void buffer_give_back(uint8_t *buffer);

#endif
