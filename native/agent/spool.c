/* The spool file: blocks of at most CHUNK_BYTES, each mapped while it is written to. What was stored before a kill is in the file, because the
 * mapping is shared. The file grows by posix_fallocate: a store into a hole on a full disk would end the program with SIGBUS.
 *
 *   0          64                    1 MiB                 2 MiB
 *   | header   | block 0 ........... | block 1 ........... | ...
 *
 * No descriptor is kept: the program may close any, and its number may become that of a file of the program. Block 0 stays mapped and open to the end: the header and the record of the agent's own cost are updated in place. */
#include "agent.h"
#include "libc_floor.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { HEADER_BYTES = 64, BLOCK_HEADER_BYTES = 32, CHUNK_BYTES = 1 << 20, LEAST_BYTES = 1 << 16, MAX_FULL = 64 };
enum { BLOCK_MAGIC = 0x4b4c4253, SEALED = 1, CLOSED_CLEANLY = 1, MAJOR = 1, MINOR = 2 };

struct chunk {
    uint8_t *map;
    uint32_t block;  /* where its block's header begins */
    uint32_t used;   /* end of the last record, from map */
};

static struct {
    char path[4096];
    uint64_t file_bytes, max_bytes, sequence, stored;
    uint32_t chunk_bytes;
    struct chunk first, current;
    struct chunk full[MAX_FULL];
    uint32_t full_count;
    bool full_busy; /* Guards the two fields above for a few instructions. */
    bool stopped;
} spool;

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

/* Adds a chunk to the file and maps it with an open block in it. */
static bool next_chunk(uint32_t before_block) {
    uint32_t bytes = spool.chunk_bytes;
    int file = spool.file_bytes + bytes > spool.max_bytes ? -1 : open(spool.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) return false;
    bool grown = posix_fallocate(file, (off_t)spool.file_bytes, bytes) == 0;
    uint8_t *map = grown ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)spool.file_bytes) : MAP_FAILED;
    close(file);
    if (map == MAP_FAILED) return false;
    madvise(map, bytes, MADV_DONTFORK); /* A forked child cannot touch it. */
    spool.current = (struct chunk){map, before_block, before_block + BLOCK_HEADER_BYTES};
    put32(map, (int)before_block + 4, bytes - before_block - BLOCK_HEADER_BYTES);
    put64(map, (int)before_block + 16, spool.sequence++);
    __atomic_store_n((uint32_t *)(map + before_block), BLOCK_MAGIC, __ATOMIC_RELEASE);
    spool.file_bytes += bytes;
    return true;
}

static void seal(const struct chunk *chunk) {
    uint8_t *block = chunk->map + chunk->block;
    uint32_t used = chunk->used - chunk->block - BLOCK_HEADER_BYTES;
    put32(block, 8, used);
    put32(block, 12, crc32_of(block + BLOCK_HEADER_BYTES, used));
    __atomic_store_n((uint64_t *)(block + 24), SEALED, __ATOMIC_RELEASE);
}

static void seal_and_unmap(const struct chunk *chunk) {
    seal(chunk);
    munmap(chunk->map, spool.chunk_bytes);
}

static void write_header(pid_t pid, uint64_t opened_ns) {
    uint8_t *head = spool.first.map;
    put16(head, 8, MAJOR);
    put16(head, 10, MINOR);
    put32(head, 12, HEADER_BYTES);
    put32(head, 16, (uint32_t)pid);
    put64(head, 24, opened_ns);
    put64(head, 32, realtime_ns());
    memcpy(head + 48, "cuda-agent", 10);
    memcpy(head, "ISPOOL1\n", 8);
}

/* What the kernel lets a file grow to; growing beyond it would raise SIGXFSZ in the program. */
static uint64_t file_size_limit(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : UINT64_MAX;
}

bool spool_open(const char *directory, pid_t pid, uint64_t max_bytes) {
    uint64_t opened_ns = monotonic_ns(), limit = file_size_limit();
    spool.max_bytes = max_bytes < limit ? max_bytes : limit;
    spool.chunk_bytes = CHUNK_BYTES;
    while (spool.chunk_bytes > spool.max_bytes && spool.chunk_bytes > LEAST_BYTES) spool.chunk_bytes /= 2;
    const char *format = "%s/%d-%llu-cuda-agent.spool";
    int length = snprintf(spool.path, sizeof spool.path, format, directory, (int)pid, (unsigned long long)opened_ns);
    if (length < 0 || (size_t)length >= sizeof spool.path || spool.chunk_bytes > spool.max_bytes) return false;
    int file = open(spool.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return false;
    close(file);
    prepare_crc();
    if (!next_chunk(HEADER_BYTES)) {
        unlink(spool.path);
        return false;
    }
    spool.first = spool.current;
    write_header(pid, opened_ns);
    return true;
}

static void lock_full(void) {
    while (__atomic_test_and_set(&spool.full_busy, __ATOMIC_ACQUIRE)) {}
}

static void unlock_full(void) { __atomic_clear(&spool.full_busy, __ATOMIC_RELEASE); }

/* Leaves a full block to be sealed and opens the next one. */
static bool rotate(void) {
    struct chunk full = spool.current;
    if (!next_chunk(0)) return false;
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

uint8_t *spool_begin(uint32_t bytes) {
    if (spool.stopped || (spool.current.used + bytes > spool.chunk_bytes && !rotate())) {
        spool.stopped = true; /* Later, shorter records would leave gaps that look like idle time. */
        spool_lost(1);
        return NULL;
    }
    uint8_t *record = spool.current.map + spool.current.used;
    spool.current.used += bytes;
    put32(record, 4, bytes);
    __atomic_store_n((uint16_t *)record, SPOOL_UNFINISHED, __ATOMIC_RELEASE);
    return record;
}

void spool_end(uint8_t *record, uint16_t type) {
    spool.stored++;
    __atomic_store_n((uint16_t *)record, type, __ATOMIC_RELEASE);
}

void spool_lost(uint64_t count) {
    if (spool.first.map != NULL) __atomic_fetch_add((uint64_t *)(spool.first.map + 40), count, __ATOMIC_RELAXED);
}

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

void spool_close(void) {
    spool.stopped = true;
    spool_seal_full_blocks();
    uint64_t unused = (spool.chunk_bytes - spool.current.used) & ~7u;
    struct chunk *last = spool.current.map == spool.first.map ? &spool.first : &spool.current;
    last->used = spool.current.used;
    put32(last->map + last->block, 4, last->used - last->block - BLOCK_HEADER_BYTES);
    seal(last);
    if (last == &spool.current) seal(&spool.first);
    uint32_t *flags = (uint32_t *)(spool.first.map + 20);
    __atomic_store_n(flags, CLOSED_CLEANLY, __ATOMIC_RELEASE);
    if (truncate(spool.path, (off_t)(spool.file_bytes - unused)) != 0) return; /* It only stays longer. */
}
