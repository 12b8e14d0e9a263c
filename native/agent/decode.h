/* The records of decode_rare.c: what is not an operation of a device or a call. */
#ifndef INFERSCOPE_DECODE_H
#define INFERSCOPE_DECODE_H

#include <stdint.h>

void decode_recorder_time(const uint8_t *from);
void decode_marker(const uint8_t *from);
void decode_external_id(const uint8_t *from);
void decode_cuda_event(const uint8_t *from);
void decode_device(const uint8_t *from);
void decode_context(const uint8_t *from);

#endif
