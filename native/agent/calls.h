/* Names of calls, and which calls are not worth a record. */
#ifndef INFERSCOPE_CALLS_H
#define INFERSCOPE_CALLS_H

#include "cupti_abi.h"

#include <stdbool.h>
#include <stdint.h>

enum { CALL_NOISY = 0x80000000u };

/* Looks up all names. */
void calls_prepare(const struct cupti *cupti);
/* Turns off recording of frequent, uninformative calls. */
void calls_silence(void);
/* Turns on or off records of each call of the driver that launches, copies, fills, waits, allocates or loads, and of the agent's own, without their kind.
 * Returns whether libcupti can, and refused none. */
bool calls_choose(bool on);
/* Returns the text id of a call's name; 0 when it has none, CALL_NOISY for a call to leave out. */
uint32_t call_id(int domain, uint32_t callback);

#endif
