/* The agent's thread. */
#ifndef INFERSCOPE_FLUSHER_H
#define INFERSCOPE_FLUSHER_H

#include <stdbool.h>

/* Starts it; it ends with the program. Returns false when no thread could be started. */
bool flusher_start(void);

#endif
