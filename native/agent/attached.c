/* clang-format off */
/* The agent in a running program: `inferscope attach --gpu` makes a thread of the program load it and call it. That
 * thread continues as soon as the agent has started its own thread.
 *
 *   borrowed thread  dlopen --> inferscope_agent_attach --> continues its own work
 *   agent's thread              finds and turns on libcupti --> answers --> flushes, as long as the lease is held
 *
 * The lease is InferScope's lock on a file, which ends with InferScope in any case. The agent then turns its records
 * off, stores its last records and sleeps; it stays loaded and may be called again. CUPTI is not removed from the
 * program: docs/adr/0015. */
/* clang-format on */
#include "agent.h"
#include "clocks.h"
#include "flusher.h"
#include "libc_floor.h"
#include "notes.h"
#include "recording.h"
#include "running.h"
#include "spool.h"
#include "spool_format.h"
#include "threads.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

enum { PATH_BYTES = 4096 };

static struct {
    char folder[PATH_BYTES];
    uint64_t max_bytes, pthread; /* pthread: the borrowed thread, whose kernel id is also stored */
    uint32_t tid;
} asked;

static int open_in(const char *folder, const char *name, int flags) {
    char path[PATH_BYTES];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length < 0 || (size_t)length >= sizeof path ? -1 : open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* Uses the system call, because versions of the C library differ in the function's name. */
static bool is_leased_in(const char *folder) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int file = open_in(folder, "gpu.lease", O_RDONLY);
    bool held = file >= 0 && syscall(SYS_fcntl, file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    if (file >= 0) close(file);
    return held;
}

static bool is_leased(void) { return is_leased_in(asked.folder); }

static void tell(const char *folder, const char *name, const char *text) {
    char line[512];
    int length = snprintf(line, sizeof line, "%s\n", text), file = open_in(folder, name, O_WRONLY | O_CREAT | O_EXCL);
    if (file < 0) return;
    if (write(file, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1) < 0) {} /* A failure needs no handling: InferScope's wait has a time limit. */
    close(file);
}

/* Returns NULL if recording has begun, otherwise the obstacle. */
static const char *begin(void) {
    if (dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD) == NULL) return "the program does not use CUDA so far";
    pthread_mutex_lock(&agent.storing);
    bool open = agent_open(asked.folder, asked.max_bytes, false);
    if (open) threads_learn(asked.pthread, asked.tid);
    if (open) threads_again();
    pthread_mutex_unlock(&agent.storing);
    if (!open) return "the agent can make no file in the folder of the recording";
    const char *obstacle = agent_begin(true);
    pthread_mutex_lock(&agent.storing);
    if (obstacle == NULL) say_recorded_only(monotonic_ns(), 0);
    else agent_fail(obstacle);
    pthread_mutex_unlock(&agent.storing);
    return obstacle == NULL || *obstacle != 0 ? obstacle : recording_refusal();
}

static void *record_while_leased(void *unused) {
    (void)unused;
    const char *obstacle = begin();
    if (obstacle == NULL) flusher_end_with_program();
    tell(asked.folder, "gpu.answer", obstacle == NULL ? "recording" : obstacle);
    if (obstacle == NULL) flusher_run(is_leased);
    pthread_mutex_lock(&agent.storing);
    spool_release();
    pthread_mutex_unlock(&agent.storing);
    tell(asked.folder, "gpu.ended", "ended");
    agent_leave();
    return NULL;
}

/* Returns at once; the answer is a file. A call that comes after InferScope has given up does nothing. */
EXPORTED int inferscope_agent_attach(const char *folder, uint64_t max_bytes) {
    if (strlen(folder) >= sizeof asked.folder || !is_leased_in(folder)) return 0;
    if (!agent_occupy()) {
        tell(folder, "gpu.answer", "InferScope's agent is in the program already, and records");
        return 0;
    }
    strcpy(asked.folder, folder);
    asked.max_bytes = max_bytes;
    asked.pthread = (uint64_t)(uintptr_t)pthread_self();
    asked.tid = own_tid();
    if (flusher_start(record_while_leased)) return 1;
    tell(folder, "gpu.answer", "the program can start no thread for the agent");
    agent_leave();
    return 0;
}
