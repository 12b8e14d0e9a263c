/* The windows in which device work is recorded, if the user limited the recording. */
#ifndef INFERSCOPE_WINDOWS_H
#define INFERSCOPE_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

/* An interval on the monotonic clock; end UINT64_MAX: to the program's end. */
struct window {
    uint64_t start_ns, end_ns;
};

/* Reads INFERSCOPE_GPU_WINDOWS: "SINCE AFTER LENGTH PERIOD" in ns. From SINCE + AFTER on, in each PERIOD a window of
 * LENGTH; LENGTH 0: to the end. All processes of a run have the same windows. */
void windows_read(void);
/* Returns whether the user limited the recording. */
bool windows_are_asked(void);
/* Returns the window that contains this time, otherwise the next one. */
struct window window_at(uint64_t now_ns);

#endif
