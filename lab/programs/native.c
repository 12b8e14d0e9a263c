/* Programs that do what only C can, or what C does otherwise: native NAME [ARGUMENT...]. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <linux/seccomp.h>
#include <unistd.h>

extern char **environ;
static volatile sig_atomic_t seen;

static void count(int number) {
    (void) number;
    seen++;
}

static void signals(void) {
    for (int number = 1; number < 65; number++) {
        struct sigaction found;
        if (sigaction(number, NULL, &found) == 0)
            printf("%d %s %x\n", number, found.sa_handler == SIG_DFL ? "default" : found.sa_handler == SIG_IGN ? "ignored" : "handled", found.sa_flags);
    }
}

static void descriptors(void) {
    for (int fd = 0; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) >= 0) printf("%d %x %x\n", fd, fcntl(fd, F_GETFD), fcntl(fd, F_GETFL) & ~O_LARGEFILE);
}

static void limits(void) {
    for (int kind = 0; kind < RLIMIT_NLIMITS; kind++) {
        struct rlimit limit;
        getrlimit(kind, &limit);
        printf("%d %lu %lu\n", kind, (unsigned long) limit.rlim_cur, (unsigned long) limit.rlim_max);
    }
    printf("nice %d\n", getpriority(PRIO_PROCESS, 0));
}

static void prctls(void) {
    int value = -1;
    prctl(PR_GET_PDEATHSIG, &value);
    printf("%d %d %d\n", value, prctl(PR_GET_DUMPABLE), prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    prctl(PR_GET_CHILD_SUBREAPER, &value);
    printf("%d %d %d\n", value, prctl(PR_GET_TIMERSLACK), prctl(PR_GET_SECCOMP));
}

static void *work(void *argument) {
    long *sum = argument;
    for (int i = 0; i < 1000000; i++) *sum += i;
    return sum;
}

static void threads(void) {
    pthread_t ids[64];
    long sums[64] = {0}, all = 0;
    for (int i = 0; i < 64; i++) pthread_create(&ids[i], NULL, work, &sums[i]);
    for (int i = 0; i < 64; i++) pthread_join(ids[i], NULL), all += sums[i];
    printf("%ld\n", all);
}

static void interval(void) {
    struct sigaction handler = {.sa_handler = count};
    sigaction(SIGPROF, &handler, NULL);
    sigaction(SIGALRM, &handler, NULL);
    struct itimerval every = {{0, 2000}, {0, 2000}};
    setitimer(ITIMER_PROF, &every, NULL);
    while (seen < 100) {}
    struct itimerval none = {0};
    setitimer(ITIMER_PROF, &none, NULL);
    seen = 0;
    alarm(1);
    int slept = sleep(100);
    printf("%d %d\n", (int) seen, slept > 90);
}

/* Counts interrupted calls: a stranger's signal would make more of them. */
static void interrupted(void) {
    int calls = 0, errors = 0;
    for (; calls < 200; calls++) {
        struct timespec nap = {0, 5000000};
        errors += nanosleep(&nap, NULL) != 0;
    }
    int epoll = epoll_create1(0);
    struct epoll_event event;
    for (; calls < 400; calls++) errors += epoll_wait(epoll, &event, 1, 5) != 0;
    printf("%d %d\n", calls, errors);
}

static void children(void) {
    struct sigaction handler = {.sa_handler = count, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
    sigaction(SIGCHLD, &handler, NULL);
    for (int i = 0; i < 20; i++) {
        pid_t pid = i % 2 ? fork() : vfork();
        if (pid == 0) _exit(i);
        int status;
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
        printf("%d ", WEXITSTATUS(status));
    }
    pid_t pid;
    char *words[] = {"sh", "-c", "echo spawned; exit 9", NULL};
    posix_spawnp(&pid, "sh", NULL, NULL, words, environ);
    int status;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    printf("%d signals %d, more children %d\n", WEXITSTATUS(status), (int) seen, waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD);
}

static void orphan(void) {
    int ends[2];
    if (pipe(ends)) abort();
    if (fork() == 0) {
        pid_t parent = getpid();
        if (fork() == 0) {
            while (getppid() == parent) usleep(1000);
            char name[64] = "", path[64];
            snprintf(path, sizeof path, "/proc/%d/comm", getppid());
            FILE *file = fopen(path, "r");
            if (file == NULL || fgets(name, sizeof name, file) == NULL) strcpy(name, "unseen\n");
            if (write(ends[1], name, strlen(name)) < 0) abort();
            _exit(0);
        }
        _exit(0);
    }
    wait(NULL);
    close(ends[1]);
    char name[64] = "";
    if (read(ends[0], name, sizeof name - 1) < 0) abort();
    printf("adopted by %s", name);
}

static void traced(void) {
    pid_t pid = fork();
    if (pid == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        _exit(5);
    }
    int status, stops = 0;
    while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) stops++, ptrace(PTRACE_CONT, pid, NULL, NULL);
    printf("%d stops, exit %d\n", stops, WEXITSTATUS(status));
}

static void in_memory(char **words) {
    int fd = memfd_create("program", MFD_CLOEXEC), from = open("/proc/self/exe", O_RDONLY);
    char buffer[65536];
    for (ssize_t n; (n = read(from, buffer, sizeof buffer)) > 0;)
        if (write(fd, buffer, n) != n) abort();
    close(from);
    fexecve(fd, words, environ);
    perror("fexecve");
}

static void daemonise(void) {
    printf("parent\n");
    fflush(stdout);
    if (fork()) _exit(0);
    setsid();
    if (fork()) _exit(0);
    umask(077);
    for (int fd = 0; fd < 1024; fd++) close(fd);
    usleep(300000);
    int fd = open("daemon.new", O_CREAT | O_WRONLY, 0666);
    if (fd != 0 || write(fd, "done\n", 5) != 5) _exit(1);
    close(fd);
    rename("daemon.new", "daemon");
    _exit(0);
}

static int deep(int depth) {
    volatile char frame[512];
    frame[0] = (char) depth;
    return depth == 0 ? frame[0] : deep(depth - 1) + frame[0] * 0 + 1;
}

int main(int count_of_words, char **words) {
    const char *name = count_of_words > 1 ? words[1] : "";
    if (!strcmp(name, "state")) signals(), descriptors(), limits(), prctls();
    else if (!strcmp(name, "threads")) threads();
    else if (!strcmp(name, "interval")) interval();
    else if (!strcmp(name, "interrupted")) interrupted();
    else if (!strcmp(name, "children")) children();
    else if (!strcmp(name, "orphan")) orphan();
    else if (!strcmp(name, "traced")) traced();
    else if (!strcmp(name, "daemonise")) daemonise();
    else if (!strcmp(name, "exec")) { printf("first\n"); fflush(stdout); execvp(words[2], words + 2); }
    else if (!strcmp(name, "in_memory")) { char *again[] = {words[0], "state", NULL}; in_memory(again); }
    else if (!strcmp(name, "deep")) printf("%d\n", deep(12000));
    else if (!strcmp(name, "ids")) printf("%d %d %d %d secure %lu\n", getuid(), geteuid(), getgid(), getegid(), 0UL + (getenv("LD_PRELOAD") != NULL));
    else if (!strcmp(name, "crash")) *(volatile int *) 8 = 1;
    else if (!strcmp(name, "secure")) { printf("in\n"); fflush(stdout); prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT); if (write(1, "out\n", 4)) {} syscall(SYS_exit, 6); }
    else if (!strcmp(name, "unkillable")) { for (int n = 1; n < 65; n++) signal(n, SIG_IGN); raise(SIGTERM), raise(SIGINT), raise(SIGHUP); printf("alive\n"); }
    else return 99;
    fflush(stdout);
    return 0;
}
