/* The spool file: blocks of at most a chunk, each mapped while it is written to.
 *
 *   0          64                    1 MiB                 2 MiB
 *   | header   | block 0 ........... | block 1 ........... | ...
 *
 * Block 0 stays mapped and open to the end: the header and the record of the agent's own cost are updated in place.
 *
 * To keep the newest records, two files alternate. Each can be read without the other, because all texts and ids are
 * stored again in each file.
 *
 *   file 1 |=====|          removed when file 3 begins
 *   file 2       |=====|
 *   file 3             |==     */
#include "chunks.h"
#include "clocks.h"
#include "spool.h"

#include <errno.h>
#include <stdio.h>

/* LEAST_LEFT: reserve at the end of a file for the records that are being stored. */
enum { MAX_FULL = 64, LEAST_LEFT = 1 << 20 };

static struct {
    uint64_t sequence, stored;
    struct chunk first, current;
    struct chunk full[MAX_FULL];
    uint32_t full_count;
    bool full_busy; /* Guards the two fields above for a few instructions. */
    bool stopped;
    bool newest, stuck; /* newest: two files alternate; stuck: no new file could be made */
    pid_t pid;
    uint64_t opened_ns, kept_since_ns;
    uint8_t *old_header; /* header of the previous file, in which another thread may still count */
    void (*on_low)(void);
} spool;

uint32_t spool_number;

static uint32_t crc_tables[8][256];

static void prepare_crc(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        crc_tables[0][i] = crc;
    }
    for (int table = 1; table < 8; table++)
        for (int i = 0; i < 256; i++)
            crc_tables[table][i] = crc_tables[table - 1][i] >> 8 ^ crc_tables[0][crc_tables[table - 1][i] & 255];
}

/* CRC-32 of a whole number of 8-byte words, eight bytes at a time. */
static uint32_t crc32_of(const uint8_t *bytes, uint32_t count) {
    uint32_t crc = ~0u;
    for (const uint8_t *end = bytes + count; bytes < end; bytes += 8) {
        uint32_t low = get32(bytes, 0) ^ crc, high = get32(bytes, 4);
        crc = crc_tables[7][low & 255] ^ crc_tables[6][low >> 8 & 255] ^ crc_tables[5][low >> 16 & 255] ^ crc_tables[4][low >> 24]
            ^ crc_tables[3][high & 255] ^ crc_tables[2][high >> 8 & 255] ^ crc_tables[1][high >> 16 & 255] ^ crc_tables[0][high >> 24];
    }
    return ~crc;
}

/* Opens a block in the file's next chunk. */
static bool next_block(uint32_t before_block) {
    bool low;
    if (!chunk_next(&spool.current, &low)) return false;
    uint8_t *map = spool.current.map;
    spool.current.block = before_block;
    spool.current.used = before_block + SPOOL_BLOCK_HEADER_BYTES;
    put32(map, (int)before_block + SPOOL_BLOCK_HEADER_CAPACITY_BYTES, chunk_bytes() - before_block - SPOOL_BLOCK_HEADER_BYTES);
    put64(map, (int)before_block + SPOOL_BLOCK_HEADER_SEQUENCE, spool.sequence++);
    __atomic_store_n((uint32_t *)(map + before_block + SPOOL_BLOCK_HEADER_MAGIC), SPOOL_BLOCK_MAGIC, __ATOMIC_RELEASE);
    if (low && spool.on_low != NULL) spool.on_low();
    return true;
}

static void seal(const struct chunk *chunk) {
    uint8_t *block = chunk->map + chunk->block;
    uint32_t used = chunk->used - chunk->block - SPOOL_BLOCK_HEADER_BYTES;
    put32(block, SPOOL_BLOCK_HEADER_USED_BYTES, used);
    put32(block, SPOOL_BLOCK_HEADER_CRC, crc32_of(block + SPOOL_BLOCK_HEADER_BYTES, used));
    __atomic_store_n((uint64_t *)(block + SPOOL_BLOCK_HEADER_FLAGS), SPOOL_BLOCK_HEADER_FLAG_SEALED, __ATOMIC_RELEASE);
}

static void seal_and_unmap(const struct chunk *chunk) {
    seal(chunk);
    chunk_unmap(chunk);
}

static void write_header(void) {
    uint8_t *head = spool.first.map;
    put16(head, SPOOL_FILE_HEADER_MAJOR, SPOOL_MAJOR_VERSION);
    put16(head, SPOOL_FILE_HEADER_MINOR, SPOOL_MINOR_VERSION);
    put32(head, SPOOL_FILE_HEADER_FIRST_BLOCK, SPOOL_FILE_HEADER_BYTES);
    put32(head, SPOOL_FILE_HEADER_PID, (uint32_t)spool.pid);
    put64(head, SPOOL_FILE_HEADER_OPENED_NS, spool.opened_ns);
    put64(head, SPOOL_FILE_HEADER_OPENED_REALTIME_NS, realtime_ns());
    memcpy(head + SPOOL_FILE_HEADER_SOURCE, "cuda-agent", 10);
    memcpy(head + SPOOL_FILE_HEADER_MAGIC, SPOOL_FILE_MAGIC, 8);
}

enum { NAME_BYTES = 64 };

static void name_file(char name[NAME_BYTES]) {
    spool.opened_ns = monotonic_ns();
    snprintf(name, NAME_BYTES, "%d-%llu-cuda-agent.spool", (int)spool.pid, (unsigned long long)spool.opened_ns);
}

static bool begin_file(void) {
    spool_number++;
    spool.sequence = 0;
    if (!next_block(SPOOL_FILE_HEADER_BYTES)) return false;
    spool.first = spool.current;
    write_header();
    return true;
}

bool spool_open(const char *directory, pid_t pid, uint64_t max_bytes, bool newest) {
    char name[NAME_BYTES];
    spool.pid = pid;
    spool.newest = newest;
    spool.stopped = spool.stuck = false;
    spool.full_count = 0;
    spool.kept_since_ns = 0;
    name_file(name);
    if (!chunks_open(directory, name, newest ? max_bytes / 2 : max_bytes)) return false;
    prepare_crc();
    if (begin_file()) return true;
    chunks_discard();
    return false;
}

void spool_on_low(void (*ring)(void)) { spool.on_low = ring; }

static void lock_full(void) {
    while (__atomic_test_and_set(&spool.full_busy, __ATOMIC_ACQUIRE)) {}
}

static void unlock_full(void) { __atomic_clear(&spool.full_busy, __ATOMIC_RELEASE); }

/* Leaves a full block for sealing and opens the next one. */
static bool rotate(void) {
    struct chunk full = spool.current;
    if (!next_block(0)) return false;
    if (full.map == spool.first.map) {
        spool.first = full;
        return true;
    }
    lock_full();
    bool room = spool.full_count < MAX_FULL;
    if (room) spool.full[spool.full_count++] = full;
    unlock_full();
    if (!room) seal_and_unmap(&full);
    return true;
}

static void say_why_it_ends(void) {
    int error = chunks_error();
    uint32_t flag = error == ENOSPC || error == EDQUOT ? SPOOL_FILE_HEADER_FLAG_DISK_FULL : SPOOL_FILE_HEADER_FLAG_CANNOT_GROW;
    if (error) __atomic_fetch_or((uint32_t *)(spool.first.map + SPOOL_FILE_HEADER_FLAGS), flag, __ATOMIC_RELAXED);
}

uint8_t *spool_begin(uint32_t bytes) {
    if (spool.stopped || (spool.current.used + bytes > chunk_bytes() && !rotate())) {
        if (!spool.stopped) say_why_it_ends();
        spool.stopped = true; /* Later, shorter records would leave gaps that look like idle time. */
        spool_lost(1);
        return NULL;
    }
    uint8_t *record = spool.current.map + spool.current.used;
    spool.current.used += bytes;
    put32(record, SPOOL_RECORD_HEADER_LENGTH_BYTES, bytes);
    __atomic_store_n((uint16_t *)record, SPOOL_UNFINISHED, __ATOMIC_RELEASE);
    return record;
}

void spool_end(uint8_t *record, uint16_t type) {
    spool.stored++;
    __atomic_store_n((uint16_t *)record, type, __ATOMIC_RELEASE);
}

void spool_lost(uint64_t count) {
    if (spool.first.map != NULL) __atomic_fetch_add((uint64_t *)(spool.first.map + SPOOL_FILE_HEADER_DROPPED), count, __ATOMIC_RELAXED);
}

bool spool_is_full(void) { return __atomic_load_n(&spool.stopped, __ATOMIC_RELAXED) && (!spool.newest || __atomic_load_n(&spool.stuck, __ATOMIC_RELAXED)); }

uint64_t spool_kept_since_ns(void) { return spool.kept_since_ns; }

uint64_t spool_stored(void) { return spool.stored; }

void spool_seal_full_blocks(void) {
    struct chunk full[MAX_FULL];
    lock_full();
    uint32_t count = spool.full_count;
    memcpy(full, spool.full, count * sizeof *full);
    spool.full_count = 0;
    unlock_full();
    for (uint32_t i = 0; i < count; i++) seal_and_unmap(&full[i]);
}

/* Seals the remaining blocks. Returns the end of the file. */
static uint64_t finish_file(void) {
    spool_seal_full_blocks();
    struct chunk *last = spool.current.map == spool.first.map ? &spool.first : &spool.current;
    last->used = spool.current.used;
    put32(last->map + last->block, SPOOL_BLOCK_HEADER_CAPACITY_BYTES, last->used - last->block - SPOOL_BLOCK_HEADER_BYTES);
    seal(last);
    if (last == &spool.current) seal(&spool.first);
    uint32_t *flags = (uint32_t *)(spool.first.map + SPOOL_FILE_HEADER_FLAGS);
    __atomic_fetch_or(flags, SPOOL_FILE_HEADER_FLAG_CLOSED, __ATOMIC_RELEASE);
    return last->file_offset + last->used;
}

void spool_close(void) {
    spool.stopped = true;
    chunks_end(finish_file());
}

void spool_release(void) {
    if (spool.current.map != spool.first.map) chunk_unmap(&spool.current);
    spool.current = spool.first;
    if (spool.first.map != NULL) chunk_release(&spool.first);
}

/* Returns whether to switch files. The reserve is enough for the records stored between two switches. */
static bool turn_is_due(void) {
    uint64_t room = chunks_room(), left = room / 4 < LEAST_LEFT ? room / 4 : LEAST_LEFT;
    return spool.newest && !spool.stuck && (spool.stopped || spool.current.file_offset + spool.current.used + left > room);
}

bool spool_turn(void) {
    if (!turn_is_due()) return false;
    char name[NAME_BYTES];
    uint64_t before_ns = spool.opened_ns;
    uint8_t *header = spool.first.map, *last = spool.current.map;
    name_file(name);
    uint64_t end = finish_file();
    bool made = chunks_turn(name, end), begun = made && begin_file();
    if (made && !begun) chunks_discard();
    if (!begun) {
        say_why_it_ends();
        spool.opened_ns = before_ns;
        __atomic_store_n(&spool.stuck, true, __ATOMIC_RELAXED);
        __atomic_store_n(&spool.stopped, true, __ATOMIC_RELAXED);
        return false;
    }
    if (last != header) chunk_unmap(&(struct chunk){.map = last});
    if (spool.old_header != NULL) chunk_unmap(&(struct chunk){.map = spool.old_header});
    spool.old_header = header;
    if (spool_number > 2) spool.kept_since_ns = before_ns;
    __atomic_store_n(&spool.stopped, false, __ATOMIC_RELAXED);
    return true;
}
