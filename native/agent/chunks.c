/* clang-format off */
/* The spool's file grows by posix_fallocate: a store into a hole on a full disk would end the program with SIGBUS. Data
 * stored before a kill is in the file, because the mapping is shared. No descriptor is kept open, because the program
 * may close it and reuse its number for its own file.
 *
 *   0          1 MiB      2 MiB      3 MiB
 *   | taken    | taken    | ahead    |
 *
 * The first store into each page costs as much as many records, so the agent's thread makes it, ahead of need.
 */
/* clang-format on */
#include "chunks.h"
#include "libc_floor.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { CHUNK_BYTES = 1 << 20, LEAST_BYTES = 1 << 16, PAGE_BYTES = 1 << 12, MAX_AHEAD = 1 };

/* A file's path and identity: another process may replace the file. */
struct made {
    char path[4096];
    dev_t device;
    ino_t number;
};

static struct {
    struct made now, before; /* before: the path is empty if there is none */
    size_t folder_bytes;     /* length of the path's folder, with its slash */
    uint64_t file_bytes, max_bytes;
    uint32_t chunk_bytes;
    struct chunk ahead[MAX_AHEAD];
    uint32_t ahead_count;
    int error; /* first error of growing, 0 at the size limit */
    pthread_mutex_t growing; /* guards the fields above */
} file = {.growing = PTHREAD_MUTEX_INITIALIZER};

uint32_t chunk_bytes(void) { return file.chunk_bytes; }

/* The kernel's limit for a file's size; growing beyond it would raise SIGXFSZ in the program. */
static uint64_t file_size_limit(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : UINT64_MAX;
}

static bool make(struct made *made) {
    int created = open(made->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    struct stat status;
    bool known = created >= 0 && status_of(created, &status);
    if (created >= 0) close(created);
    if (known) made->device = status.st_dev, made->number = status.st_ino;
    return known;
}

bool chunks_open(const char *directory, const char *name, uint64_t max_bytes) {
    uint64_t limit = file_size_limit();
    file.max_bytes = max_bytes < limit ? max_bytes : limit;
    file.file_bytes = 0;
    file.error = 0;
    *file.before.path = 0;
    file.chunk_bytes = CHUNK_BYTES;
    while (file.chunk_bytes > file.max_bytes && file.chunk_bytes > LEAST_BYTES) file.chunk_bytes /= 2;
    file.folder_bytes = strlen(directory) + 1;
    int length = snprintf(file.now.path, sizeof file.now.path, "%s/%s", directory, name);
    return length >= 0 && (size_t)length < sizeof file.now.path && file.chunk_bytes <= file.max_bytes && make(&file.now);
}

/* Opens the file if it is still the one that was created. */
static int open_own(const struct made *made) {
    struct stat status;
    int opened = open(made->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (opened < 0 || (status_of(opened, &status) && status.st_dev == made->device && status.st_ino == made->number)) return opened;
    close(opened);
    errno = ESTALE;
    return -1;
}

static bool failed(int error) {
    file.error = error;
    return false;
}

/* Adds a chunk to the file and maps it. */
static bool grow(struct chunk *chunk) {
    uint32_t bytes = file.chunk_bytes;
    if (file.error != 0) return false; /* A retry on a full disk costs as much as many records. */
    if (file.file_bytes + bytes > file.max_bytes) return failed(file.file_bytes + bytes > file_size_limit() ? EFBIG : 0);
    int opened = open_own(&file.now);
    if (opened < 0) return failed(errno);
    int error = posix_fallocate(opened, (off_t)file.file_bytes, bytes);
    uint8_t *map = error ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, opened, (off_t)file.file_bytes);
    if (!error && map == MAP_FAILED) error = errno;
    close(opened);
    if (error) return failed(error);
    madvise(map, bytes, MADV_DONTFORK); /* A forked child cannot touch it. */
    *chunk = (struct chunk){.map = map, .file_offset = file.file_bytes};
    file.file_bytes += bytes;
    return true;
}

int chunks_error(void) {
    pthread_mutex_lock(&file.growing);
    int error = file.error;
    pthread_mutex_unlock(&file.growing);
    return error;
}

bool chunk_next(struct chunk *chunk, bool *low) {
    pthread_mutex_lock(&file.growing);
    bool there = file.ahead_count > 0;
    if (there) {
        *chunk = file.ahead[0];
        memmove(file.ahead, file.ahead + 1, --file.ahead_count * sizeof *chunk);
    } else {
        there = grow(chunk);
    }
    *low = file.ahead_count < MAX_AHEAD;
    pthread_mutex_unlock(&file.growing);
    return there;
}

void chunk_unmap(const struct chunk *chunk) { munmap(chunk->map, file.chunk_bytes); }

void chunk_release(const struct chunk *chunk) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    if (mmap(chunk->map, file.chunk_bytes, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED) {} /* On failure the old mapping stays, which is harmless. */
}

/* A thread that needs a chunk at the same time waits for this one, because making another would take as long. */
void chunks_prepare(void) {
    for (bool more = true; more;) {
        struct chunk chunk;
        pthread_mutex_lock(&file.growing);
        more = file.ahead_count < MAX_AHEAD && grow(&chunk);
        for (uint32_t at = 0; more && at < file.chunk_bytes; at += PAGE_BYTES) *(volatile uint8_t *)(chunk.map + at) = 0;
        if (more) file.ahead[file.ahead_count++] = chunk;
        pthread_mutex_unlock(&file.growing);
    }
}

static void cut(const struct made *made, uint64_t file_bytes) {
    int opened = open_own(made);
    if (opened < 0) return;
    if (ftruncate(opened, (off_t)file_bytes) == 0) {} /* On failure the file only stays longer. */
    close(opened);
}

static void give_up_ahead(void) {
    for (uint32_t i = 0; i < file.ahead_count; i++) chunk_unmap(&file.ahead[i]);
    file.ahead_count = 0;
}

void chunks_end(uint64_t file_bytes) {
    pthread_mutex_lock(&file.growing);
    give_up_ahead();
    file.max_bytes = 0;
    pthread_mutex_unlock(&file.growing);
    cut(&file.now, file_bytes);
}

static void remove_own(const struct made *made) {
    int opened = open_own(made);
    if (opened < 0) return;
    close(opened);
    unlink(made->path);
}

bool chunks_turn(const char *name, uint64_t ended_bytes) {
    static struct made next; /* Too large for a thread's stack. */
    pthread_mutex_lock(&file.growing);
    memcpy(next.path, file.now.path, file.folder_bytes);
    int length = snprintf(next.path + file.folder_bytes, sizeof next.path - file.folder_bytes, "%s", name);
    bool there = length >= 0 && (size_t)length < sizeof next.path - file.folder_bytes && make(&next);
    if (there) {
        give_up_ahead();
        cut(&file.now, ended_bytes);
        if (*file.before.path != 0) remove_own(&file.before);
        file.before = file.now;
        file.now = next;
        file.file_bytes = 0;
        file.error = 0;
    }
    pthread_mutex_unlock(&file.growing);
    return there;
}

uint64_t chunks_room(void) { return file.max_bytes / file.chunk_bytes * file.chunk_bytes; }

void chunks_discard(void) { unlink(file.now.path); }
