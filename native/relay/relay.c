/* Tells InferScope which signals arrive and whether a key of the terminal or a process sent them, which no handler in Java
 * learns. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

enum { SIGNALS = 65 };

static int messages = -1;
static struct sigaction before[SIGNALS];

/* Signals that the JVM sends to its own threads are for its own handler. */
static void pass_to_jvm(int number, siginfo_t *info, void *context) {
    const struct sigaction *action = &before[number];
    if (action->sa_flags & SA_SIGINFO) action->sa_sigaction(number, info, context);
}

static void on_signal(int number, siginfo_t *info, void *context) {
    int error = errno;
    if (info->si_code == SI_TKILL) {
        pass_to_jvm(number, info, context);
    } else {
        int32_t message[2] = {number, info->si_code == SI_KERNEL};
        if (write(messages, message, sizeof message) < 0) errno = 0; /* Thousands wait to be read: the signal is lost. */
    }
    errno = error;
}

/* Writes a message of two 32-bit numbers into `pipe` for each signal of `numbers` from now on: its number, and 1 if the
 * kernel sent it. Returns 0, or -1 if one cannot be handled. */
__attribute__((visibility("default"))) int inferscope_relay(int pipe, const int *numbers, int count) {
    messages = pipe;
    for (int i = 0; i < count; i++) {
        struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
        if (sigaction(numbers[i], NULL, &before[numbers[i]]) != 0 || sigaction(numbers[i], &action, NULL) != 0) return -1;
    }
    return 0;
}
