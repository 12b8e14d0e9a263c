/* A program that gets the driver's functions as NVIDIA's runtime does: all of them from cuGetProcAddress, before cuInit. Its arguments are steps:
 *
 *   kernels:N        N kernels of seven names in turn, on two streams         copies:N, fills:N
 *   own:T:N          T threads launch N kernels each on their own default stream, kernels of their own name
 *   shared:T:N       the same on one stream
 *   graph:R:K        captures K kernels, replays them R times                 sync
 *   fork:N           N kernels in a forked child                              signals:N  turns the hooks on; N kernels, while a signal's
 *                    handler launches others; prints both numbers and that of the calls that the hooks saw
 *   counting         turns counting on           counted    prints how many launches the hooks counted
 *   loop:MS:US       for this long, a kernel after each US of the thread's CPU time
 *   server:MS:US     for this long, twenty such kernels every 20 ms, however long they take
 *   queries:N        asks so often whether a stream is idle             events:N  records so many events
 *   host:N           so often a kernel, a function of the host in its stream, and a kernel, and waits for them; hostgraph:N the same as a graph
 *   streams:N        N streams, one after the other, with three kernels each
 *   atexit:N, exit:CODE, _exit:CODE, abort, sleep:MS
 *   next             fails unless dlsym(RTLD_NEXT) finds what lies behind this program
 *   bench:N          prints ns a call of N calls with the hooks on and off, in pairs; 0 if there are no hooks */
#include "../launches/launches.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef void *handle_t;
typedef int (*get_t)(const char *, void **, int, uint64_t, int *);
typedef int (*launch_t)(handle_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle_t, void **, void **);

static struct {
    int (*init)(unsigned), (*function)(handle_t *, handle_t, const char *), (*stream)(handle_t *, unsigned), (*destroy)(handle_t), (*sync)(handle_t), (*query)(handle_t), (*event)(handle_t *, unsigned), (*note)(handle_t, handle_t), (*host)(handle_t, void (*)(void *), void *);
    int (*copy)(void *, const void *, size_t, handle_t), (*fill)(void *, unsigned char, size_t, handle_t);
    int (*begin)(handle_t, int), (*end)(handle_t, handle_t *), (*instantiate)(handle_t *, handle_t, uint64_t), (*replay)(handle_t, handle_t), (*retain)(handle_t *, int), (*current)(handle_t);
    launch_t launch, launch_own;
} cuda;

static handle_t functions[7], streams[2];

static void need(int result) {
    if (result != 0) exit(9);
}

static void find(get_t get, const char *name, void *at, int version, uint64_t flags) {
    if (get(name, at, version, flags, NULL) != 0 || *(void **)at == NULL) exit(8);
}

static void start(void) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    get_t get = driver == NULL ? NULL : (get_t)dlsym(driver, "cuGetProcAddress_v2");
    if (get == NULL) exit(7);
    find(get, "cuInit", &cuda.init, 2000, 0);
    find(get, "cuModuleGetFunction", &cuda.function, 2000, 0);
    find(get, "cuStreamCreate", &cuda.stream, 2000, 0);
    find(get, "cuStreamDestroy", &cuda.destroy, 4000, 0);
    find(get, "cuStreamSynchronize", &cuda.sync, 2000, 0);
    find(get, "cuStreamQuery", &cuda.query, 2000, 0);
    find(get, "cuLaunchHostFunc", &cuda.host, 10000, 0);
    find(get, "cuEventCreate", &cuda.event, 2000, 0);
    find(get, "cuEventRecord", &cuda.note, 2000, 0);
    find(get, "cuMemcpyHtoDAsync", &cuda.copy, 3020, 0);
    find(get, "cuMemsetD8Async", &cuda.fill, 3020, 0);
    find(get, "cuStreamBeginCapture", &cuda.begin, 10010, 0);
    find(get, "cuStreamEndCapture", &cuda.end, 10000, 0);
    find(get, "cuGraphInstantiateWithFlags", &cuda.instantiate, 11040, 0);
    find(get, "cuGraphLaunch", &cuda.replay, 10000, 0);
    find(get, "cuDevicePrimaryCtxRetain", &cuda.retain, 7000, 0);
    find(get, "cuCtxSetCurrent", &cuda.current, 4000, 0);
    find(get, "cuLaunchKernel", &cuda.launch, 4000, 0);
    find(get, "cuLaunchKernel", &cuda.launch_own, 7000, 2);
    need(cuda.init(0));
    handle_t context;
    need(cuda.retain(&context, 0));
    need(cuda.current(context));
    for (int i = 0; i < 7; i++) {
        char name[32];
        snprintf(name, sizeof name, "kernel_%d", i);
        need(cuda.function(&functions[i], NULL, name));
    }
    for (int i = 1; i < 2; i++) need(cuda.stream(&streams[i], 1));
}

static void launch(handle_t function, handle_t stream, unsigned grid) { need(cuda.launch(function, grid, 1, 1, 64, 1, 1, 0, stream, NULL, NULL)); }

static void kernels(long count) {
    for (long i = 0; i < count; i++) launch(functions[i % 7], streams[i % 5 == 4], 1 + (unsigned)(i % 3));
}

static uint64_t clock_ns(clockid_t id) {
    struct timespec time;
    clock_gettime(id, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void loop_once(long microseconds) {
    for (uint64_t work = clock_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)microseconds * 1000u; clock_ns(CLOCK_THREAD_CPUTIME_ID) < work;) continue;
    kernels(1);
}

static void loop(long milliseconds, long microseconds) {
    for (uint64_t until = clock_ns(CLOCK_MONOTONIC) + (uint64_t)milliseconds * 1000000u; clock_ns(CLOCK_MONOTONIC) < until;) loop_once(microseconds);
}

static void serve(long milliseconds, long microseconds) {
    uint64_t request = clock_ns(CLOCK_MONOTONIC), until = request + (uint64_t)milliseconds * 1000000u;
    for (; request < until; request += 20000000u) {
        uint64_t now = clock_ns(CLOCK_MONOTONIC);
        if (now < request) usleep((useconds_t)((request - now) / 1000));
        for (int i = 0; i < 20; i++) loop_once(microseconds);
    }
}

struct work { long count; int number; int own; };

static void *on_thread(void *argument) {
    const struct work *work = argument;
    char name[32];
    handle_t function;
    snprintf(name, sizeof name, "of_thread_%d", work->number);
    need(cuda.function(&function, NULL, name));
    for (long i = 0; i < work->count; i++) need((work->own ? cuda.launch_own : cuda.launch)(function, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL));
    return NULL;
}

static void on_threads(long threads, long count, int own) {
    enum { MOST = 128 };
    pthread_t all[MOST];
    struct work works[MOST];
    for (int i = 0; i < threads && i < MOST; i++) works[i] = (struct work){count, i, own}, pthread_create(&all[i], NULL, on_thread, &works[i]);
    for (int i = 0; i < threads && i < MOST; i++) pthread_join(all[i], NULL);
    usleep(300000); /* The recorder learns the ids of threads that live; the main one does here. */
}

static void graph(long replays, long count) {
    handle_t captured, instance;
    need(cuda.begin(streams[1], 0));
    for (long i = 0; i < count; i++) launch(functions[i % 7], streams[1], 1);
    need(cuda.end(streams[1], &captured));
    need(cuda.instantiate(&instance, captured, 0));
    for (long i = 0; i < replays; i++) need(cuda.replay(instance, streams[1]));
}

static void run_on_host(void *unused) { (void)unused; }

static void host_and_kernels(void) {
    launch(functions[0], streams[1], 1);
    need(cuda.host(streams[1], run_on_host, NULL));
    launch(functions[1], streams[1], 1);
}

static void on_host(long count) {
    for (long i = 0; i < count; i++) host_and_kernels(), need(cuda.sync(streams[1]));
}

static void on_host_by_graph(long count) {
    handle_t captured, instance;
    need(cuda.begin(streams[1], 0));
    host_and_kernels();
    need(cuda.end(streams[1], &captured));
    need(cuda.instantiate(&instance, captured, 0));
    for (long i = 0; i < count; i++) need(cuda.replay(instance, streams[1])), need(cuda.sync(streams[1]));
}

static volatile long handled;
static void on_signal(int number) { (void)number, launch(functions[6], streams[1], 3), handled++; }

static void during_signals(long count) {
    struct itimerval every = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    struct launches *hooks = dlsym(RTLD_DEFAULT, "inferscope_launches");
    if (hooks != NULL) __atomic_store_n(&hooks->on, true, __ATOMIC_RELEASE);
    signal(SIGALRM, on_signal);
    setitimer(ITIMER_REAL, &every, NULL);
    for (long i = 0; i < count; i++) launch(functions[0], NULL, 1);
    setitimer(ITIMER_REAL, &never, NULL);
    printf("%ld %ld %llu\n", count, handled, hooks == NULL ? 0ull : (unsigned long long)(hooks->head + hooks->lost));
}

static void count_launches(void) {
    struct launches *hooks = dlsym(RTLD_DEFAULT, "inferscope_launches");
    __atomic_store_n(&hooks->counting, true, __ATOMIC_RELEASE);
}

static void say_counted(void) {
    struct launches *hooks = dlsym(RTLD_DEFAULT, "inferscope_launches");
    uint64_t sum = 0;
    for (int i = 0; i <= LAUNCHES_THREADS; i++) sum += hooks->of_threads[i].counted;
    printf("%llu\n", (unsigned long long)sum);
}

static void in_fork(long count) {
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        kernels(count);
        exit(0);
    }
    if (waitpid(child, &status, 0) != child || status != 0) _exit(6);
}

static void one_after_the_other(long count) {
    for (long i = 0; i < count; i++) {
        handle_t stream;
        need(cuda.stream(&stream, 1));
        for (int j = 0; j < 3; j++) launch(functions[(i + j) % 7], stream, 1);
        need(cuda.sync(stream));
        need(cuda.destroy(stream));
    }
}

static double ns_a_call(long count) {
    struct timespec begin, end;
    struct launches *hooks = dlsym(RTLD_DEFAULT, "inferscope_launches");
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    for (long i = 0; i < count; i++) {
        cuda.launch(functions[i % 7], 1, 1, 1, 64, 1, 1, 0, streams[i % 5 == 4], NULL, NULL);
        if (i % 4096 == 0 && hooks != NULL) __atomic_store_n(&hooks->tail, hooks->head, __ATOMIC_RELAXED); /* As the agent does. */
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    return ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / (double)count;
}

static void events(long count) {
    handle_t event;
    need(cuda.event(&event, 0));
    for (long i = 0; i < count; i++) need(cuda.note(event, NULL));
}

static void bench(long count) {
    struct launches *hooks = dlsym(RTLD_DEFAULT, "inferscope_launches");
    for (int pair = 0; pair < 5; pair++) {
        double ns[2] = {0, 0};
        for (int on = 0; on < 2; on++) {
            if (hooks != NULL) __atomic_store_n(&hooks->on, on != 0, __ATOMIC_RELEASE), __atomic_store_n(&hooks->counting, on != 0, __ATOMIC_RELEASE);
            ns[on] = ns_a_call(count);
        }
        printf("%.1f %.1f %llu\n", ns[0], ns[1], hooks == NULL ? 0ull : (unsigned long long)hooks->head);
    }
}

static void check_next(void) {
    void *here = dlsym(RTLD_DEFAULT, "malloc"), *next = dlsym(RTLD_NEXT, "malloc");
    Dl_info about;
    if (here == NULL || next == NULL || dladdr(next, &about) == 0) exit(5);
    printf("%s %d\n", about.dli_fname, dlsym(RTLD_NEXT, "inferscope_launches") != NULL);
}

static long at_end;
static void launch_at_end(void) { kernels(at_end); }

static void step(char *text) {
    char *colon = strchr(text, ':'), *second = colon == NULL ? NULL : strchr(colon + 1, ':');
    long value = colon == NULL ? 0 : atol(colon + 1), more = second == NULL ? 0 : atol(second + 1);
    if (colon != NULL) *colon = 0;
    static char memory[4096];
    if (!strcmp(text, "kernels")) kernels(value);
    else if (!strcmp(text, "loop")) loop(value, more);
    else if (!strcmp(text, "server")) serve(value, more);
    else if (!strcmp(text, "copies")) for (long i = 0; i < value; i++) need(cuda.copy(memory, memory + 2048, 64 + (size_t)(i % 3), NULL));
    else if (!strcmp(text, "fills")) for (long i = 0; i < value; i++) need(cuda.fill(memory, 0, 64, NULL));
    else if (!strcmp(text, "own")) on_threads(value, more, 1);
    else if (!strcmp(text, "shared")) on_threads(value, more, 0);
    else if (!strcmp(text, "graph")) graph(value, more);
    else if (!strcmp(text, "sync")) need(cuda.sync(NULL));
    else if (!strcmp(text, "host")) on_host(value);
    else if (!strcmp(text, "hostgraph")) on_host_by_graph(value);
    else if (!strcmp(text, "queries")) for (long i = 0; i < value; i++) cuda.query(NULL);
    else if (!strcmp(text, "events")) events(value);
    else if (!strcmp(text, "fork")) in_fork(value);
    else if (!strcmp(text, "counting")) count_launches();
    else if (!strcmp(text, "counted")) say_counted();
    else if (!strcmp(text, "signals")) during_signals(value);
    else if (!strcmp(text, "streams")) one_after_the_other(value);
    else if (!strcmp(text, "atexit")) at_end = value, atexit(launch_at_end);
    else if (!strcmp(text, "exit")) exit((int)value);
    else if (!strcmp(text, "_exit")) _exit((int)value);
    else if (!strcmp(text, "abort")) abort();
    else if (!strcmp(text, "sleep")) usleep((useconds_t)value * 1000);
    else if (!strcmp(text, "next")) check_next();
    else if (!strcmp(text, "bench")) bench(value);
    else exit(4);
}

int main(int count, char **arguments) {
    start();
    for (int i = 1; i < count; i++) step(arguments[i]);
    return 0;
}
