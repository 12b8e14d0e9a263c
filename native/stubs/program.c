/* A program that uses the stand-in of libcuda. Its arguments are steps, taken in order:
 *
 *   launch:N     launches N kernels             driver:N    launches N through the driver API
 *   graph:R:K    replays a graph of K kernels R times
 *   copy:N  peer:N  fill:N  sync:N  event:N  range:N  external:N  quiet:N
 *   own:N        launches N kernels and copies on the default stream of the thread
 *   varied:N     launches N kernels of 64 names as long as those of C++ templates, in many shapes, on four streams
 *   device:N     later steps use device N
 *   thread:N     a thread launches N kernels and ends
 *   forever      launches until it is killed, printing the time before each thousand
 *   slowly       the same, a launch per millisecond
 *   paced:MS     a launch every 5 ms, for this long    replays:MS:K   a replay of a graph of K kernels every 5 ms
 *   flushes:N    waits until the agent has flushed N more times; after 2, all earlier records are delivered
 *   until:0|1    waits until kernels are recorded (1) or not (0)
 *   led          a launch every 5 ms until standard input ends
 *   sleep:MS     fork   spawn   exit:CODE  abort
 *   step:NS      moves CUPTI's clock            ticks:0|1   replaces it by the processor's counter
 *   threads:T:N  T threads at once launch N kernels each
 *   profile:N:MS a profiler of the program's own, as Kineto does it: registers, launches N kernels, computes for MS,
 *                flushes; it prints how many of the kernels it saw, and how often other threads flushed. profiled:N:MS:
 *                the same, but it first asks the agent to pause
 *   several:N:MS a profiler of the program's own that uses the interface for several subscribers; it prints how many kernels it saw, or the refusal
 *   monitor:N:MS the same, as PyTorch's own monitor with the probe: it asks the agent to step aside, and tells it then whether it was refused
 *   hardware:0|1 turns on tracing in hardware; 1: as PyTorch's monitor with the probe, which asks the agent to step aside, and tells it then
 *   newer        asks the libcupti of INFERSCOPE_CUPTI for what is new in it, and prints the results; - where it lacks a function
 *   early        (before all others) a profiler of that interface subscribes before CUDA is in use, and stays
 *   atexit:N     (before all others but nvtx) launches N kernels at the program's end, after the agent's
 *   nvtx         (before all others) a range of NVTX, before CUDA is in use
 *   take:0|1     another profiler takes the records (1) or not (0)
 *   limit:BYTES  limits the size of files           alarm        from here on, a signal is handled every 5 ms
 *
 * At the end it prints the nanoseconds of CPU that the process took. */
#include "../agent/cupti_abi.h"

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
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
extern void stub_launch_per_thread(const char *, uint32_t, uint64_t);
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

/* Names of 300 bytes that differ only at their end. */
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

static void paced(long milliseconds) {
    for (long i = 0; i < milliseconds / 5; i++) {
        launch(1);
        usleep(5000);
    }
}

static void *cupti_function(const char *name);

/* A test that waits longer than this has failed. */
static void wait_a_little(int *rounds) {
    if (++*rounds > 60000) exit(10);
    usleep(2000);
}

static int flushes(void) { return __atomic_load_n((int *)cupti_function("stub_flushes"), __ATOMIC_ACQUIRE); }

static void wait_for_flushes(int more) {
    int rounds = 0;
    for (int until = flushes() + more; flushes() < until;) wait_a_little(&rounds);
}

static bool is_recorded(int kind) { return ((int (*)(int))cupti_function("stub_is_enabled"))(kind) != 0; }

static void wait_until(bool recorded) {
    for (int rounds = 0; is_recorded(KIND_CONCURRENT_KERNEL) != recorded;) wait_a_little(&rounds);
}

static void be_led(void) {
    char byte;
    for (struct pollfd input = {0, POLLIN, 0}; poll(&input, 1, 5) == 0 || read(0, &byte, 1) > 0;) launch(1);
}

static void replay(long milliseconds, int kernels) {
    for (uint64_t end_ns = realtime_ns() + (uint64_t)milliseconds * 1000000; realtime_ns() < end_ns; usleep(5000)) stub_graph(kernels, 7);
}

static void wait_for(pid_t child) {
    int status;
    if (waitpid(child, &status, 0) == child && status != 0) _exit(9);
}

static void in_fork(void) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        launch(50); /* CUDA does not work in it, which must not disturb the agent. */
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

enum { MAX_THREADS = 256, PROFILE_BYTES = 4 << 20 };

static void at_once(long threads, long count) {
    pthread_t all[MAX_THREADS];
    for (long i = 0; i < threads && i < MAX_THREADS; i++) pthread_create(&all[i], NULL, launch_on_thread, (void *)(intptr_t)count);
    for (long i = 0; i < threads && i < MAX_THREADS; i++) pthread_join(all[i], NULL);
}

static struct {
    int (*next_record)(uint8_t *, size_t, uint8_t **);
    long kernels, foreign;
    uint8_t *buffers[64];
    int made;
} profiler;

static void profiler_request(uint8_t **buffer, size_t *bytes, size_t *max_records) {
    *bytes = PROFILE_BYTES, *max_records = 0;
    *buffer = profiler.buffers[profiler.made++ & 63] = malloc(PROFILE_BYTES);
}

static void profiler_complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid) {
    (void)context, (void)stream, (void)bytes;
    bool own = false;
    for (int i = 0; i < profiler.made && i < 64; i++) {
        if (profiler.buffers[i] != buffer) continue;
        own = true;
        profiler.buffers[i] = NULL;
    }
    profiler.foreign += !own;
    for (uint8_t *record = NULL; own && profiler.next_record(buffer, valid, &record) == CUPTI_OK;) profiler.kernels += *(uint32_t *)record == KIND_CONCURRENT_KERNEL;
    free(buffer); /* Whoever asked for it, as JAX's profiler does. */
}

/* The functions of the agent's libcupti, which a program's profiler also uses. */
static void *cupti_function(const char *name) {
    static const char *const files[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8", NULL};
    for (const char *const *file = files; *file != NULL; file++) {
        void *library = dlopen(*file, RTLD_LAZY | RTLD_NOLOAD);
        if (library != NULL) return dlsym(library, name);
    }
    exit(5);
}

static void tell_agent(const char *function) {
    void *agent = dlopen(getenv("CUDA_INJECTION64_PATH"), RTLD_LAZY | RTLD_NOLOAD);
    int (*tell)(void) = agent == NULL ? NULL : (int (*)(void))dlsym(agent, function);
    if (tell == NULL) exit(4);
    tell(); /* There may be nothing to stop. */
}

static void profile(long count, long milliseconds, const char *pause) {
    static const int kinds[] = {KIND_CONCURRENT_KERNEL, KIND_RUNTIME, KIND_MEMCPY};
    if (pause != NULL) tell_agent(pause);
    int (*enable)(int) = (int (*)(int))cupti_function("cuptiActivityEnable"), (*disable)(int) = (int (*)(int))cupti_function("cuptiActivityDisable");
    profiler.next_record = (int (*)(uint8_t *, size_t, uint8_t **))cupti_function("cuptiActivityGetNextRecord");
    *(pthread_t *)cupti_function("stub_receiver") = pthread_self();
    int *received = (int *)cupti_function("stub_is_received"), *flushes = (int *)cupti_function("stub_foreign_flushes");
    ((int (*)(cupti_request_fn, cupti_complete_fn))cupti_function("cuptiActivityRegisterCallbacks"))(profiler_request, profiler_complete);
    *received = 1;
    for (int i = 0; i < 3; i++) enable(kinds[i]);
    launch(count);
    usleep((useconds_t)milliseconds * 1000);
    int others = __atomic_load_n(flushes, __ATOMIC_RELAXED);
    ((int (*)(uint32_t))cupti_function("cuptiActivityFlushAll"))(1);
    for (int i = 0; i < 3; i++) disable(kinds[i]);
    *received = 0;
    printf("profiler: %ld kernels, %ld foreign buffers, %d foreign flushes\n", profiler.kernels, profiler.foreign, others);
    if (pause != NULL) tell_agent("inferscope_agent_resume");
}

static void trace_in_hardware(bool asks) {
    if (asks) tell_agent("inferscope_agent_pause");
    if (((int (*)(uint8_t))cupti_function("cuptiActivityEnableHWTrace"))(1) != CUPTI_OK) exit(12);
    if (asks) tell_agent("inferscope_agent_resume_beside_hardware");
}

enum { ATTRIBUTE_USER_DEFINED_RECORDS = 11 };

static void ask_for_what_is_newer(void) {
    void *library = dlopen(getenv("INFERSCOPE_CUPTI"), RTLD_NOW), *subscribers[2] = {NULL, NULL};
    if (library == NULL) exit(5);
    int (*hardware)(uint8_t) = (int (*)(uint8_t))dlsym(library, "cuptiActivityEnableHWTrace");
    int (*subscribe)(void **, cupti_callback_fn, void *, struct subscriber_params *) = (int (*)(void **, cupti_callback_fn, void *, struct subscriber_params *))dlsym(library, "cuptiSubscribe_v2");
    int (*set)(void *, int, size_t *, void *) = (int (*)(void *, int, size_t *, void *))dlsym(library, "cuptiActivitySetAttribute_v2");
    uint8_t on = 1;
    size_t bytes = sizeof on;
    if (hardware == NULL) printf("hardware -");
    else printf("hardware %d", hardware(1));
    for (int i = 0; i < 2; i++) {
        struct subscriber_params params = {sizeof params, i == 0 ? "first" : "second", NULL, 0, 1, {0}};
        if (subscribe == NULL) printf(", subscriber -");
        else printf(", subscriber %d", subscribe(&subscribers[i], NULL, NULL, set == NULL ? NULL : &params)); /* Older versions have a shorter structure. */
    }
    if (set == NULL) printf(", user-defined -\n");
    else printf(", user-defined %d\n", set(subscribers[0], ATTRIBUTE_USER_DEFINED_RECORDS, &bytes, &on));
}

static void *subscriber;

static void subscriber_request(uint8_t **buffer, size_t *bytes, size_t *max_records, void *about) {
    (void)about;
    profiler_request(buffer, bytes, max_records);
}

static void subscriber_complete(uint8_t *buffer, size_t bytes, size_t valid, void *about) {
    (void)about;
    profiler_complete(NULL, 0, buffer, bytes, valid);
}

static int subscriber_next(uint8_t *buffer, size_t valid, uint8_t **record) {
    return ((int (*)(void *, uint8_t *, size_t, uint8_t **))cupti_function("cuptiActivityGetNextRecord_v2"))(subscriber, buffer, valid, record);
}

static void profile_as_subscriber(long count, long milliseconds, bool asks) {
    if (asks) tell_agent("inferscope_agent_pause_receiver");
    struct subscriber_params params = {sizeof params, "Stand-in", NULL, 0, 1, {0}};
    int (*enable)(void *, int, void *) = (int (*)(void *, int, void *))cupti_function("cuptiActivityEnable_v2");
    int result = ((int (*)(void **, void *, void *, void *))cupti_function("cuptiSubscribe_v2"))(&subscriber, NULL, NULL, &params);
    if (result != CUPTI_OK) {
        printf("subscriber: refused, error %d\n", result);
        if (asks) tell_agent("inferscope_agent_stay");
        launch(count);
        return;
    }
    profiler.next_record = subscriber_next;
    ((int (*)(void *, cupti_request_v2_fn, cupti_complete_v2_fn))cupti_function("cuptiActivityRegisterCallbacks_v2"))(subscriber, subscriber_request, subscriber_complete);
    enable(subscriber, KIND_CONCURRENT_KERNEL, NULL);
    if (asks) tell_agent("inferscope_agent_resume");
    launch(count);
    usleep((useconds_t)milliseconds * 1000);
    ((int (*)(uint32_t))cupti_function("cuptiActivityFlushAll"))(1);
    ((int (*)(void *, int, void *))cupti_function("cuptiActivityDisable_v2"))(subscriber, KIND_CONCURRENT_KERNEL, NULL);
    ((int (*)(void *))cupti_function("cuptiUnsubscribe"))(subscriber);
    printf("subscriber: %ld kernels, %ld foreign buffers\n", profiler.kernels, profiler.foreign);
}

static void subscribe_early(void) {
    struct subscriber_params params = {sizeof params, "Stand-in", NULL, 0, 1, {0}};
    if (dlopen("libcupti.so.13", RTLD_NOW) == NULL || ((int (*)(void **, void *, void *, void *))cupti_function("cuptiSubscribe_v2"))(&subscriber, NULL, NULL, &params) != CUPTI_OK) exit(11);
    profiler.next_record = subscriber_next;
    ((int (*)(void *, cupti_request_v2_fn, cupti_complete_v2_fn))cupti_function("cuptiActivityRegisterCallbacks_v2"))(subscriber, subscriber_request, subscriber_complete);
    ((int (*)(void *, int, void *))cupti_function("cuptiActivityEnable_v2"))(subscriber, KIND_CONCURRENT_KERNEL, NULL);
}

static void say_early(void) {
    ((int (*)(uint32_t))cupti_function("cuptiActivityFlushAll"))(1);
    printf("subscriber: %ld kernels, %ld foreign buffers\n", profiler.kernels, profiler.foreign);
}

static long at_end;

static void launch_at_end(void) { launch(at_end); }

/* As NVTX would: the injected library gets its table before any library of CUDA is loaded. */
static void early_range(void) {
    static char table[64];
    void *agent = dlopen(getenv("CUDA_INJECTION64_PATH"), RTLD_LAZY);
    int (*initialize)(void *) = agent == NULL ? NULL : (int (*)(void *))dlsym(agent, "InitializeInjectionNvtx2");
    printf("nvtx: %d\n", initialize == NULL ? -1 : initialize(table));
}

static void on_a_thread(long count) {
    pthread_t thread;
    pthread_create(&thread, NULL, launch_on_thread, (void *)(intptr_t)count);
    pthread_join(thread, NULL);
}

/* Replaces each spool by a hard link to the file that a variable names, as an attacker would do to have that file
 * overwritten. */
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
    else if (!strcmp(text, "own")) for (long i = 0; i < value; i++) stub_launch_per_thread(NAMES[0], 7, 1000);
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
    else if (!strcmp(text, "threads")) at_once(value, more);
    else if (!strcmp(text, "profile")) profile(value, more, NULL);
    else if (!strcmp(text, "profiled")) profile(value, more, "inferscope_agent_pause");
    else if (!strcmp(text, "alone")) profile(value, more, "inferscope_agent_pause_receiver");
    else if (!strcmp(text, "several")) profile_as_subscriber(value, more, false);
    else if (!strcmp(text, "hardware")) trace_in_hardware(value);
    else if (!strcmp(text, "monitor")) profile_as_subscriber(value, more, true);
    else if (!strcmp(text, "newer")) ask_for_what_is_newer();
    else if (!strcmp(text, "early")) subscribe_early();
    else if (!strcmp(text, "nvtx")) early_range();
    else if (!strcmp(text, "atexit")) { at_end = value; atexit(launch_at_end); }
    else if (!strcmp(text, "flushes")) wait_for_flushes((int)value);
    else if (!strcmp(text, "until")) wait_until(value != 0);
    else if (!strcmp(text, "led")) be_led();
    else if (!strcmp(text, "sleep")) usleep((useconds_t)value * 1000);
    else if (!strcmp(text, "forever")) forever(1000);
    else if (!strcmp(text, "slowly")) forever(1);
    else if (!strcmp(text, "paced")) paced(value);
    else if (!strcmp(text, "replays")) replay(value, (int)more);
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
    for (; first < count && (!strncmp(arguments[first], "limit:", 6) || !strncmp(arguments[first], "atexit:", 7) || !strcmp(arguments[first], "nvtx") || !strcmp(arguments[first], "early")); first++) step(arguments[0], arguments[first]);
    if (cuInit(0) != 0) return 6;
    for (int i = first; i < count; i++) step(arguments[0], arguments[i]);
    if (count > 1 && !strcmp(arguments[1], "early")) say_early();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    printf("%lld\n", (long long)cpu.tv_sec * 1000000000 + cpu.tv_nsec);
    return 0;
}
