/* For tests of remote library calls: a program that waits for a signal in the system call that its argument names, and
 * prints how that call ended. With -DLIBRARY, the library that it is made to load meanwhile. SIGUSR2 is blocked and
 * pending all the time. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#ifdef LIBRARY
extern volatile int inside, handled;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Called on a borrowed thread: makes the file, and returns when a signal for the thread has arrived. */
__attribute__((visibility("default"))) int linger(const char *path, unsigned long number) {
    sigset_t pending;
    inside = 1;
    close(open(path, O_WRONLY | O_CREAT, 0600));
    for (double end = now() + 20; now() < end && handled == 0;)
        if (sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1)) break;
    inside = 0;
    return number == 7;
}
#else
volatile int inside, handled, during;

static void handle(int signal) { handled += signal == SIGUSR1, during += inside; }

int main(int count, char **words) {
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    struct timespec rest, minute = {60, 0};
    struct epoll_event event;
    sigset_t blocked;
    int result = 0;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    raise(SIGUSR2);
    sigaction(SIGUSR1, &action, NULL);
    errno = 0;
    if (count < 2) return 2;
    if (strcmp(words[1], "filtered") == 0) {
        struct sock_filter allow = {.code = BPF_RET | BPF_K, .k = SECCOMP_RET_ALLOW};
        struct sock_fprog all = {.len = 1, .filter = &allow};
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) == 0) result = poll(NULL, 0, -1);
    }
    if (strcmp(words[1], "poll") == 0) result = poll(NULL, 0, -1);
    if (strcmp(words[1], "timed-poll") == 0) result = poll(NULL, 0, 60000);
    if (strcmp(words[1], "epoll") == 0) result = epoll_wait(epoll_create1(0), &event, 1, -1);
    if (strcmp(words[1], "select") == 0) result = select(0, NULL, NULL, NULL, NULL);
    if (strcmp(words[1], "sleep") == 0) result = nanosleep(&minute, &rest);
    printf("%d %s, handled %d, %d of it during the call\n", result, errno == EINTR ? "EINTR" : "?", handled, during);
    return 0;
}
#endif
