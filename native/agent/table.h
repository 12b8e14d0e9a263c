/* Hash tables of byte strings, with open addressing, in the agent's own memory, so that the program's heap is not
 * used. */
#ifndef INFERSCOPE_TABLE_H
#define INFERSCOPE_TABLE_H

#include <stddef.h>
#include <stdint.h>

enum { FIRST_SLOTS = 1 << 10, MAX_SLOTS = 1 << 21 };

struct entry {
    const uint8_t *bytes; /* NULL: free */
    uint32_t count, hash, id;
    uint32_t file; /* number of the spool file in which it was last stored */
};

struct table {
    struct entry *slots;
    uint32_t slot_count, used;
};

/* Returns the entry of the bytes, a new one with id 0 and file 0 if they are new; NULL if there is no room. */
struct entry *table_find(struct table *table, const void *bytes, uint32_t count);
/* Returns fresh zeroed memory, NULL when there is none. */
void *fresh_memory(size_t bytes);
/* Returns a permanent copy of the bytes, NULL if there is no room. */
uint8_t *keep_bytes(const void *bytes, size_t count);

static inline uint64_t mix_bits(uint64_t value) {
    value *= 0x9e3779b97f4a7c15u;
    return value ^ value >> 32;
}

#endif
