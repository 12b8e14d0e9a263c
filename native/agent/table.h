/* Tables of byte strings, by their content: open addressing over memory of the agent's own, so the program's heap is left alone. */
#ifndef INFERSCOPE_TABLE_H
#define INFERSCOPE_TABLE_H

#include <stddef.h>
#include <stdint.h>

enum { FIRST_SLOTS = 1 << 10, MAX_SLOTS = 1 << 21 };

struct entry {
    const uint8_t *bytes; /* NULL: free */
    uint32_t count, hash, id;
    uint32_t file; /* of the spool, in which it was stored last */
};

struct table {
    struct entry *slots;
    uint32_t slot_count, used;
};

/* Returns the entry of the bytes, new with id 0 and file 0 when they were not there; NULL when there is no room for more. */
struct entry *table_find(struct table *table, const void *bytes, uint32_t count);
/* Returns fresh zeroed memory, NULL when there is none. */
void *fresh_memory(size_t bytes);
/* Returns a copy of the bytes that stays, NULL when there is no room. */
uint8_t *keep_bytes(const void *bytes, size_t count);

static inline uint64_t mix_bits(uint64_t value) {
    value *= 0x9e3779b97f4a7c15u;
    return value ^ value >> 32;
}

#endif
