/* Makes one call on a file fail: LD_PRELOAD this with
 *
 *   FAULT_PATH=TEXT    only files whose path contains this, and descriptors opened on such files
 *   FAULT_CALL=N       the n-th such call of each process fails, from 1; with FAULT_STAYS all later ones too
 *   FAULT_ERROR=E      with this errno
 *   FAULT_LOG=FILE     file to which the name of each failed call is appended
 *
 * Built by the tests. Other calls are passed on. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static long calls;

static void tell(const char *name) {
    const char *log = getenv("FAULT_LOG");
    int file = log == NULL ? -1 : (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (file < 0) return;
    char line[128];
    int length = snprintf(line, sizeof line, "%s\n", name);
    if (syscall(SYS_write, file, line, length) != length) abort();
    syscall(SYS_close, file);
}

/* Counts a call on such a file; returns whether the call must fail. */
static int fails(const char *name, const char *path) {
    const char *text = getenv("FAULT_PATH"), *number = getenv("FAULT_CALL");
    int before = errno;
    if (path == NULL || text == NULL || number == NULL || strstr(path, text) == NULL) return 0;
    long call = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED), chosen = atol(number);
    if (call < chosen || (call > chosen && getenv("FAULT_STAYS") == NULL)) return errno = before, 0;
    tell(name);
    errno = atoi(getenv("FAULT_ERROR") ? getenv("FAULT_ERROR") : "28");
    return 1;
}

static int fails_on(const char *name, int file) {
    char link[64], path[4096];
    int before = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    errno = before;
    if (length <= 0) return 0;
    path[length] = 0;
    return fails(name, path);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define OPENING(name)                                             \
    int name(const char *path, int flags, ...) {                  \
        va_list more;                                             \
        va_start(more, flags);                                    \
        mode_t mode = va_arg(more, mode_t);                       \
        va_end(more);                                             \
        return fails(#name, path) ? -1 : NEXT(name)(path, flags, mode); \
    }
#define OPENING_AT(name)                                          \
    int name(int folder, const char *path, int flags, ...) {      \
        va_list more;                                             \
        va_start(more, flags);                                    \
        mode_t mode = va_arg(more, mode_t);                       \
        va_end(more);                                             \
        return fails(#name, path) ? -1 : NEXT(name)(folder, path, flags, mode); \
    }

OPENING(open)
OPENING(open64)
OPENING_AT(openat)
OPENING_AT(openat64)

ssize_t write(int file, const void *bytes, size_t count) { return fails_on("write", file) ? -1 : NEXT(write)(file, bytes, count); }
ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) { return fails_on("pwrite", file) ? -1 : NEXT(pwrite)(file, bytes, count, at); }
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) { return fails_on("pwrite64", file) ? -1 : NEXT(pwrite64)(file, bytes, count, at); }
ssize_t writev(int file, const struct iovec *parts, int count) { return fails_on("writev", file) ? -1 : NEXT(writev)(file, parts, count); }
ssize_t read(int file, void *bytes, size_t count) { return fails_on("read", file) ? -1 : NEXT(read)(file, bytes, count); }
ssize_t pread64(int file, void *bytes, size_t count, off64_t at) { return fails_on("pread64", file) ? -1 : NEXT(pread64)(file, bytes, count, at); }
int ftruncate(int file, off_t size) { return fails_on("ftruncate", file) ? -1 : NEXT(ftruncate)(file, size); }
int ftruncate64(int file, off64_t size) { return fails_on("ftruncate64", file) ? -1 : NEXT(ftruncate64)(file, size); }
int posix_fallocate(int file, off_t at, off_t count) { return fails_on("posix_fallocate", file) ? errno : NEXT(posix_fallocate)(file, at, count); }
int posix_fallocate64(int file, off64_t at, off64_t count) { return fails_on("posix_fallocate64", file) ? errno : NEXT(posix_fallocate64)(file, at, count); }
DIR *opendir(const char *path) { return fails("opendir", path) ? NULL : NEXT(opendir)(path); }
int rename(const char *from, const char *to) { return fails("rename", to) ? -1 : NEXT(rename)(from, to); }
int mkdir(const char *path, mode_t mode) { return fails("mkdir", path) ? -1 : NEXT(mkdir)(path, mode); }
int chmod(const char *path, mode_t mode) { return fails("chmod", path) ? -1 : NEXT(chmod)(path, mode); }
void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset) {
    return file >= 0 && fails_on("mmap", file) ? MAP_FAILED : NEXT(mmap)(at, size, protection, flags, file, offset);
}
void *mmap64(void *at, size_t size, int protection, int flags, int file, off64_t offset) {
    return file >= 0 && fails_on("mmap64", file) ? MAP_FAILED : NEXT(mmap64)(at, size, protection, flags, file, offset);
}
