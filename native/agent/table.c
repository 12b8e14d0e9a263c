#include "bytes.h"
#include "table.h"

#include <stdbool.h>
#include <sys/mman.h>

enum { ARENA_BYTES = 1 << 18 };

static struct {
    uint8_t *at, *end;
} arena;

void *fresh_memory(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

uint8_t *keep_bytes(const void *bytes, size_t count) {
    size_t aligned = (count + 7) & ~(size_t)7;
    if (aligned > ARENA_BYTES) return NULL;
    if (arena.at == NULL || (size_t)(arena.end - arena.at) < aligned) {
        uint8_t *more = fresh_memory(ARENA_BYTES);
        if (more == NULL) return NULL;
        arena.at = more;
        arena.end = more + ARENA_BYTES;
    }
    uint8_t *kept = arena.at;
    memcpy(kept, bytes, count);
    arena.at += aligned;
    return kept;
}

static uint32_t hash_of(const uint8_t *bytes, uint32_t count) {
    uint64_t hash = count;
    for (; count >= 8; bytes += 8, count -= 8) hash = mix_bits(hash ^ get64(bytes, 0));
    uint64_t rest = 0;
    memcpy(&rest, bytes, count);
    return (uint32_t)mix_bits(hash ^ rest);
}

static bool grow(struct table *table) {
    uint32_t slot_count = table->slots == NULL ? FIRST_SLOTS : table->slot_count * 2;
    struct entry *slots = slot_count > MAX_SLOTS ? NULL : fresh_memory(slot_count * sizeof *slots);
    if (slots == NULL) return false;
    for (uint32_t i = 0; i < table->slot_count; i++) {
        if (table->slots[i].bytes == NULL) continue;
        uint32_t at = table->slots[i].hash & (slot_count - 1);
        while (slots[at].bytes != NULL) at = (at + 1) & (slot_count - 1);
        slots[at] = table->slots[i];
    }
    if (table->slots != NULL) munmap(table->slots, table->slot_count * sizeof *slots);
    table->slots = slots;
    table->slot_count = slot_count;
    return true;
}

struct entry *table_find(struct table *table, const void *bytes, uint32_t count) {
    if (table->used * 2 >= table->slot_count && !grow(table)) return NULL;
    uint32_t hash = hash_of(bytes, count);
    uint32_t at = hash & (table->slot_count - 1);
    for (; table->slots[at].bytes != NULL; at = (at + 1) & (table->slot_count - 1)) {
        struct entry *entry = &table->slots[at];
        if (entry->hash == hash && entry->count == count && memcmp(entry->bytes, bytes, count) == 0) return entry;
    }
    const uint8_t *kept = keep_bytes(bytes, count);
    if (kept == NULL) return NULL;
    table->slots[at] = (struct entry){.bytes = kept, .count = count, .hash = hash};
    table->used++;
    return &table->slots[at];
}
