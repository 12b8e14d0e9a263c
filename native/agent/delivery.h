/* CUPTI's buffer callbacks. */
#ifndef INFERSCOPE_DELIVERY_H
#define INFERSCOPE_DELIVERY_H

#include <stddef.h>
#include <stdint.h>

void on_request(uint8_t **buffer, size_t *bytes, size_t *max_records);
void on_complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid_bytes);

#endif
