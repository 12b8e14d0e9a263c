#ifndef INFERSCOPE_BUFFERS_H
#define INFERSCOPE_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns a buffer and its size. NULL and 0 when too many are out: CUPTI then drops records, and counts them. */
uint8_t *buffer_take(size_t *bytes);
void buffer_give_back(uint8_t *buffer);

#endif
