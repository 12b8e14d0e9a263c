/* What the agent's two ways into a program share: the driver's call at its start, and InferScope's while it runs. */
#ifndef INFERSCOPE_AGENT_H
#define INFERSCOPE_AGENT_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether nothing was recorded so far: from now on the caller records. */
bool agent_occupy(void);
void agent_leave(void);
/* Opens the spool. Returns false when there is none. */
bool agent_open(const char *directory, uint64_t max_bytes, bool newest);
/* Has CUPTI record; `late` where the program has used CUDA for a while. Returns NULL when recording has begun, else what is in the way; empty when that was
 * noted already. */
const char *agent_begin(bool late);
/* Notes what is in the way, and closes the spool. Called while storing is held. */
void agent_fail(const char *obstacle);

#endif
