/* Reading several clocks as one moment. */
#ifndef INFERSCOPE_CLOCKS_H
#define INFERSCOPE_CLOCKS_H

#include "cupti_abi.h"

#include <stdbool.h>
#include <stdint.h>

/* One moment on four clocks; ticks is 0 if the processor's counter cannot be read. Uncertainty is half the bracket, in
 * ns. */
struct moment {
    uint64_t cupti, monotonic_ns, realtime_ns, ticks;
    uint32_t uncertainty_ns;
};

/* The kernel's id of the calling thread. */
uint32_t own_tid(void);
uint64_t monotonic_ns(void);
uint64_t realtime_ns(void);
uint64_t thread_cpu_ns(void);
/* Reads the clocks within the narrowest of five brackets. Returns false if CUPTI's clock cannot be read; its field is
 * then 0. */
bool moment_now(const struct cupti *cupti, struct moment *moment);

#endif
