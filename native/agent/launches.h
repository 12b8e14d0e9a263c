/* Launches that the preloaded hooks see (native/launches), where CUPTI does not record calls. */
#ifndef INFERSCOPE_AGENT_LAUNCHES_H
#define INFERSCOPE_AGENT_LAUNCHES_H

#include "clocks.h"

#include <stdbool.h>

/* What is recorded, from most to least (INFERSCOPE_GPU_DETAIL). */
enum gpu_detail { DETAIL_FULL, DETAIL_LAUNCHES, DETAIL_KERNELS };

/* Reads the detail, and finds the hooks if it is `launches`. `library`: libcupti. Called before recording begins. */
void launches_prepare(void *library);
enum gpu_detail launches_detail(void);
/* Turns hooks on or off. */
void launches_record(bool on);
/* Stores the launches so far. Called while `storing` is held, after each reading of the clocks. */
void launches_take(const struct moment *now);

#endif
