/* A program that uses the stand-in of libcuda. Its arguments are steps, taken in order:
 *
 *   launch:N     launches N kernels             driver:N    launches N by the driver API
 *   graph:R:K    replays a graph of K kernels R times
 *   copy:N  peer:N  fill:N  sync:N  event:N  range:N  external:N  quiet:N
 *   varied:N     launches N kernels of 64 names as long as those of C++ templates, in many shapes, on four streams
 *   device:N     what follows is done on device N
 *   thread:N     a thread launches N kernels and ends
 *   forever      launches until it is killed, printing the time before each thousand
 *   slowly       the same, a launch per millisecond
 *   sleep:MS     fork   spawn   exit:CODE  abort
 *   step:NS      moves CUPTI's clock            ticks:0|1   replaces it by the processor's counter
 *   take:0|1     another profiler takes the records over, or not
 *   limit:BYTES  no file may grow beyond           alarm        a signal is handled every 5 ms from here on
 *
 * At the end it prints the nanoseconds of CPU that the process took. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern int cuInit(unsigned);
extern void stub_launch(const char *, uint32_t, uint64_t);
extern void stub_launch_by_driver(const char *, uint32_t, uint64_t);
extern void stub_graph(int, uint32_t);
extern void stub_copy(uint64_t, uint32_t);
extern void stub_peer_copy(uint64_t, uint32_t);
extern void stub_fill(uint64_t, uint32_t);
extern void stub_synchronize(uint32_t);
extern void stub_get_device(void);
extern void stub_use_device(uint32_t);
extern void stub_event(uint32_t, uint32_t, uint32_t);
extern void stub_range(const char *, int, uint32_t);
extern void stub_external(uint64_t);
extern char **environ;

static const char *const NAMES[] = {"gemm_64x64", "_ZN2at6native14vectorized_addIfEEvPT_i", "softmax", "flash_fwd"};

static void launch(long count) {
    for (long i = 0; i < count; i++) stub_launch(NAMES[i & 3], (uint32_t)(7 + (i & 1)), 1000);
}

/* Names of 300 bytes that differ at their end alone. */
static void launch_varied(long count) {
    static char names[64][301];
    for (int i = 0; i < 64; i++) {
        memset(names[i], 'a', 300);
        names[i][298] = (char)('a' + i / 8);
        names[i][299] = (char)('a' + i % 8);
    }
    for (long i = 0; i < count; i++) stub_launch(names[i * 7 % 64], (uint32_t)(7 + (i & 3)), 1000);
}

static void *launch_on_thread(void *count) {
    launch((long)(intptr_t)count);
    return NULL;
}

/* A function of the stand-in of libcupti, if the agent loaded it. */
static void tell_cupti(const char *function, long value) {
    static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8", NULL};
    for (const char *const *name = names; *name != NULL; name++) {
        void *library = dlopen(*name, RTLD_LAZY | RTLD_NOLOAD);
        void (*tell)(int64_t) = library == NULL ? NULL : (void (*)(int64_t))dlsym(library, function);
        if (tell != NULL) tell(value);
    }
}

static uint64_t realtime_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void forever(long pause_every) {
    for (long i = 0;; i++) {
        if (i % pause_every == 0) {
            char line[32];
            int length = snprintf(line, sizeof line, "%llu\n", (unsigned long long)realtime_ns());
            if (write(1, line, (size_t)length) != length) _exit(3);
            usleep(1000);
        }
        launch(1);
    }
}

static void wait_for(pid_t child) {
    int status;
    if (waitpid(child, &status, 0) == child && status != 0) _exit(9);
}

static void in_fork(void) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        launch(50); /* CUDA does not work there; the agent must not mind. */
        exit(0);
    }
    wait_for(child);
}

static void in_spawn(const char *self) {
    pid_t child;
    char *arguments[] = {(char *)self, (char *)"launch:25", NULL};
    fflush(stdout);
    if (posix_spawn(&child, self, NULL, NULL, arguments, environ) != 0) _exit(8);
    wait_for(child);
}

static void ignore(int number) { (void)number; }

static void ring_often(void) {
    struct itimerval every = {{0, 5000}, {0, 5000}};
    signal(SIGALRM, ignore);
    setitimer(ITIMER_REAL, &every, NULL);
}

static void on_a_thread(long count) {
    pthread_t thread;
    pthread_create(&thread, NULL, launch_on_thread, (void *)(intptr_t)count);
    pthread_join(thread, NULL);
}

/* Puts a hard link to the file that a variable names in the place of each spool, as somebody would who wants it overwritten. */
static void put_links(const char *variable) {
    char command[1024];
    snprintf(command, sizeof command, "for spool in \"$INFERSCOPE_SPOOL_DIR\"/*.spool; do rm \"$spool\" && ln \"$%s\" \"$spool\"; done", variable);
    if (system(command) != 0) exit(8);
}

static void step(const char *self, char *text) {
    char *colon = strchr(text, ':'), *second = colon == NULL ? NULL : strchr(colon + 1, ':');
    if (colon != NULL) *colon = 0;
    long value = colon == NULL ? 0 : atol(colon + 1), more = second == NULL ? 0 : atol(second + 1);
    if (!strcmp(text, "launch")) launch(value);
    else if (!strcmp(text, "varied")) launch_varied(value);
    else if (!strcmp(text, "device")) stub_use_device((uint32_t)value);
    else if (!strcmp(text, "driver")) for (long i = 0; i < value; i++) stub_launch_by_driver(NAMES[0], 7, 1000);
    else if (!strcmp(text, "graph")) for (long i = 0; i < value; i++) stub_graph((int)more, 7);
    else if (!strcmp(text, "copy")) for (long i = 0; i < value; i++) stub_copy(4096, 7);
    else if (!strcmp(text, "peer")) for (long i = 0; i < value; i++) stub_peer_copy(4096, 7);
    else if (!strcmp(text, "fill")) for (long i = 0; i < value; i++) stub_fill(512, 7);
    else if (!strcmp(text, "sync")) for (long i = 0; i < value; i++) stub_synchronize(7);
    else if (!strcmp(text, "event")) for (long i = 0; i < value; i++) stub_event(7, 8, 3);
    else if (!strcmp(text, "quiet")) for (long i = 0; i < value; i++) stub_get_device();
    else if (!strcmp(text, "external")) { stub_external((uint64_t)value); launch(1); }
    else if (!strcmp(text, "range")) { stub_range("decode step", 1, 1); launch(value); stub_range(NULL, 0, 1); }
    else if (!strcmp(text, "thread")) on_a_thread(value);
    else if (!strcmp(text, "sleep")) usleep((useconds_t)value * 1000);
    else if (!strcmp(text, "forever")) forever(1000);
    else if (!strcmp(text, "slowly")) forever(1);
    else if (!strcmp(text, "fork")) in_fork();
    else if (!strcmp(text, "spawn")) in_spawn(self);
    else if (!strcmp(text, "exec")) execl(self, self, "launch:25", (char *)NULL);
    else if (!strcmp(text, "swap")) put_links("STUB_VICTIM");
    else if (!strcmp(text, "exit")) exit((int)value);
    else if (!strcmp(text, "abort")) abort();
    else if (!strcmp(text, "step")) tell_cupti("stub_clock_step", value);
    else if (!strcmp(text, "ticks")) tell_cupti("stub_clock_ticks", value);
    else if (!strcmp(text, "take")) tell_cupti("stub_take_over", value);
    else if (!strcmp(text, "alarm")) ring_often();
    else if (!strcmp(text, "limit")) setrlimit(RLIMIT_FSIZE, &(struct rlimit){(rlim_t)value, RLIM_INFINITY});
    else exit(7);
}

int main(int count, char **arguments) {
    struct timespec cpu;
    int first = 1;
    for (; first < count && !strncmp(arguments[first], "limit:", 6); first++) step(arguments[0], arguments[first]);
    if (cuInit(0) != 0) return 6;
    for (int i = first; i < count; i++) step(arguments[0], arguments[i]);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    printf("%lld\n", (long long)cpu.tv_sec * 1000000000 + cpu.tv_nsec);
    return 0;
}
