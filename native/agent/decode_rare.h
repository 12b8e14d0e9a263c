/* Activity records that are not operations of a device or calls. */
#ifndef INFERSCOPE_DECODE_RARE_H
#define INFERSCOPE_DECODE_RARE_H

#include <stdint.h>

void decode_recorder_time(const uint8_t *from);
void decode_marker(const uint8_t *from);
void decode_external_id(const uint8_t *from);
void decode_cuda_event(const uint8_t *from);
void decode_device(const uint8_t *from);
void decode_context(const uint8_t *from);
/* Stores the known devices and contexts again in a new file of the spool. */
void decode_again(void);

#endif
