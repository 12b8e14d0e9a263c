#include "windows.h"
#include "libc_floor.h"

#include <stdio.h>
#include <stdlib.h>

static struct {
    bool asked;
    uint64_t first_ns, length_ns, period_ns;
} windows;

void windows_read(void) {
    const char *text = secure_getenv("INFERSCOPE_GPU_WINDOWS");
    unsigned long long since, after, length, period;
    int end = 0;
    if (text == NULL || sscanf(text, "%19llu %19llu %19llu %19llu%n", &since, &after, &length, &period, &end) != 4 || text[end] != 0) return;
    if (length != 0 && (period < length || period == 0)) return;
    windows.asked = true;
    windows.first_ns = since + after;
    windows.length_ns = length;
    windows.period_ns = period;
}

bool windows_are_asked(void) { return windows.asked; }

struct window window_at(uint64_t now_ns) {
    struct window window = {windows.first_ns, UINT64_MAX};
    if (windows.length_ns == 0) return window;
    if (now_ns > window.start_ns) window.start_ns += (now_ns - window.start_ns) / windows.period_ns * windows.period_ns;
    if (now_ns >= window.start_ns + windows.length_ns) window.start_ns += windows.period_ns;
    window.end_ns = window.start_ns + windows.length_ns;
    return window;
}
