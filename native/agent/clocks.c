/* Reading several clocks as one moment. */
#include "clocks.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ATTEMPTS = 5 };

static uint64_t clock_ns(clockid_t clock) {
    struct timespec now;
    return clock_gettime(clock, &now) == 0 ? (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec : 0;
}

uint32_t own_tid(void) { return (uint32_t)syscall(SYS_gettid); }
uint64_t monotonic_ns(void) { return clock_ns(CLOCK_MONOTONIC); }
uint64_t realtime_ns(void) { return clock_ns(CLOCK_REALTIME); }
uint64_t thread_cpu_ns(void) { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

static inline uint64_t ticks_now(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

bool moment_now(const struct cupti *cupti, struct moment *moment) {
    uint64_t narrowest = UINT64_MAX;
    for (int i = 0; i < ATTEMPTS; i++) {
        struct moment read;
        uint64_t before = monotonic_ns();
        if (cupti->timestamp(&read.cupti) != CUPTI_OK) read.cupti = 0;
        read.realtime_ns = realtime_ns();
        read.ticks = ticks_now();
        uint64_t bracket = monotonic_ns() - before;
        if (bracket >= narrowest) continue;
        narrowest = bracket;
        read.monotonic_ns = before + bracket / 2;
        read.uncertainty_ns = bracket / 2 < UINT32_MAX ? (uint32_t)(bracket / 2 + 1) : UINT32_MAX;
        *moment = read;
    }
    return moment->cupti != 0;
}
