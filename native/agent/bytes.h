/* Reads and writes numbers at any offset of a record. */
#ifndef INFERSCOPE_BYTES_H
#define INFERSCOPE_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint16_t get16(const uint8_t *at, int field) { uint16_t value; memcpy(&value, at + field, 2); return value; }
static inline uint32_t get32(const uint8_t *at, int field) { uint32_t value; memcpy(&value, at + field, 4); return value; }
static inline uint64_t get64(const uint8_t *at, int field) { uint64_t value; memcpy(&value, at + field, 8); return value; }
static inline void put16(uint8_t *at, int field, uint16_t value) { memcpy(at + field, &value, 2); }
static inline void put32(uint8_t *at, int field, uint32_t value) { memcpy(at + field, &value, 4); }
static inline void put64(uint8_t *at, int field, uint64_t value) { memcpy(at + field, &value, 8); }

#endif
