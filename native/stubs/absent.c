/* A program that uses NVIDIA's libcuda without a device. Its arguments are steps, taken in order:
 *
 *   nvtx         begins a range as NVTX's header does; prints whether a libcupti is mapped afterwards
 *   init         cuInit; prints its result
 *   fork         a child does cuInit and ends; prints its exit status
 *   threads:N    N threads do cuInit at once
 *   exit:CODE    abort
 *
 * As root, libcuda would make a missing /dev/nvidiactl, so the program first drops the capability for that. */
#include <dlfcn.h>
#include <linux/capability.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_THREADS = 64 };

static void leave_devices_alone(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, sets) != 0) exit(8);
    sets[0].effective &= ~(1u << CAP_MKNOD);
    sets[0].permitted &= ~(1u << CAP_MKNOD);
    if (syscall(SYS_capset, &header, sets) != 0) exit(8);
}

static int initialize(void) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned) = driver == NULL ? NULL : (int (*)(unsigned))dlsym(driver, "cuInit");
    return init == NULL ? -1 : init(0);
}

static int is_cupti_mapped(void) {
    char line[4096];
    int mapped = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) mapped |= strstr(line, "libcupti.so") != NULL;
    if (maps != NULL) fclose(maps);
    return mapped;
}

static void begin_range(void) {
    static char table[64];
    void *agent = dlopen(getenv("CUDA_INJECTION64_PATH"), RTLD_LAZY);
    int (*begin)(void *) = agent == NULL ? NULL : (int (*)(void *))dlsym(agent, "InitializeInjectionNvtx2");
    printf("nvtx: %d, libcupti mapped: %d\n", begin == NULL ? -1 : begin(table), is_cupti_mapped());
}

static void in_fork(void) {
    int status = -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) exit(initialize() == -1);
    waitpid(child, &status, 0);
    printf("fork: %d\n", status);
}

static void *on_thread(void *none) {
    initialize();
    return none;
}

static void at_once(int count) {
    pthread_t all[MAX_THREADS];
    for (int i = 0; i < count && i < MAX_THREADS; i++) pthread_create(&all[i], NULL, on_thread, NULL);
    for (int i = 0; i < count && i < MAX_THREADS; i++) pthread_join(all[i], NULL);
}

int main(int count, char **arguments) {
    leave_devices_alone();
    for (int i = 1; i < count; i++) {
        const char *step = arguments[i], *colon = strchr(step, ':');
        int value = colon == NULL ? 0 : atoi(colon + 1);
        if (!strcmp(step, "nvtx")) begin_range();
        else if (!strcmp(step, "init")) printf("init: %d\n", initialize());
        else if (!strcmp(step, "fork")) in_fork();
        else if (!strncmp(step, "threads:", 8)) at_once(value);
        else if (!strncmp(step, "exit:", 5)) exit(value);
        else if (!strcmp(step, "abort")) abort();
        else return 7;
    }
    return 0;
}
