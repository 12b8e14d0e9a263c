/* Shared by the agent's two entry points: the driver's call at the program's start, and InferScope's call while it
 * runs. */
#ifndef INFERSCOPE_AGENT_H
#define INFERSCOPE_AGENT_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether no recording was active. The caller is the recorder from now on. */
bool agent_occupy(void);
void agent_leave(void);
/* Opens the spool. Returns false on failure. */
bool agent_open(const char *directory, uint64_t max_bytes, bool newest);
/* Makes CUPTI record. `late`: the program has used CUDA already. Returns NULL if recording has begun, otherwise the
 * obstacle; empty if that was noted already. */
const char *agent_begin(bool late);
/* Notes the obstacle and closes the spool. Called while `storing` is held. */
void agent_fail(const char *obstacle);

#endif
