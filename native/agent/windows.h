/* When device work is recorded, where the user asked for less than all of the time. */
#ifndef INFERSCOPE_WINDOWS_H
#define INFERSCOPE_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

/* A stretch on the monotonic clock; end UINT64_MAX: to the program's end. */
struct window {
    uint64_t start_ns, end_ns;
};

/* Reads INFERSCOPE_GPU_WINDOWS: "SINCE AFTER LENGTH PERIOD" in ns. From SINCE + AFTER on, in each PERIOD a window of LENGTH; LENGTH 0: to the end. The
 * windows of all processes of a run are at the same times. */
void windows_read(void);
/* Returns whether less than all of the time was asked for. */
bool windows_are_asked(void);
/* Returns the window in which this time lies, else the next one. */
struct window window_at(uint64_t now_ns);

#endif
