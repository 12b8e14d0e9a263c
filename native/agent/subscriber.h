/* The agent as one of several subscribers of CUPTI's records. */
#ifndef INFERSCOPE_SUBSCRIBER_H
#define INFERSCOPE_SUBSCRIBER_H

#include "cupti_abi.h"

#include <stdbool.h>

/* Subscribes if CUPTI, the driver and the program permit it; `library` NULL: that of an earlier call. The functions of `cupti` then are those of a subscriber,
 * until subscriber_leave. Otherwise they stay as they are. */
bool subscriber_join(void *library, struct cupti *cupti);
/* Returns whether the agent is one of several subscribers. */
bool subscriber_is_joined(void);
/* Ends the subscription, if there is one. The functions of `cupti` again are those of the only receiver. */
void subscriber_leave(void);
/* Returns the name of the subscriber because of which the agent is none; empty if there is none. */
const char *subscriber_other(void);

#endif
