/* Launches that the preloaded hooks see (native/launches), where CUPTI does not record calls. */
#ifndef INFERSCOPE_AGENT_LAUNCHES_H
#define INFERSCOPE_AGENT_LAUNCHES_H

#include "clocks.h"

#include <stdbool.h>

/* Finds the hooks if the detail needs them. `library`: libcupti. Called before recording begins, after `levels_read`. */
void launches_prepare(void *library);
/* Turns hooks on, if launches are known from them, or off. */
void launches_record(bool on);
/* Stores the launches so far. Called while `storing` is held, after each reading of the clocks. */
void launches_take(const struct moment *now);

#endif
