/* What recording costs the program, by its launches inside and between windows, and the detail that follows from it. */
#ifndef INFERSCOPE_LEVELS_H
#define INFERSCOPE_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

/* What is recorded, from most to least (INFERSCOPE_GPU_DETAIL). */
enum gpu_detail { DETAIL_FULL, DETAIL_LAUNCHES, DETAIL_KERNELS, DETAIL_OFF };

struct launches;

/* Reads INFERSCOPE_GPU_DETAIL and INFERSCOPE_GPU_OVERHEAD. */
void levels_read(void);
/* Whether the detail falls until recording costs less than the limit: INFERSCOPE_GPU_DETAIL=auto. */
bool levels_adapt(void);
enum gpu_detail levels_detail(void);
/* Whether of all calls only those that launch or wait are to be recorded: INFERSCOPE_GPU_DETAIL=calls. */
bool levels_choose_calls(void);
/* From now on stretches have the launches that these hooks count. */
void levels_count(struct launches *hooks);
/* A stretch begins: recorded, or between windows. */
void levels_open(void);
/* It ends, and is stored; a recorded one may lower the detail of later ones. Nothing where none is open. */
void levels_close(bool recorded);
/* Notes at the end if what recording costs was never known. */
void levels_end(void);
/* The stretch shows nothing, because something else slowed the program. */
void levels_forget(void);

#endif
