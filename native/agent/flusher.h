/* The agent's thread. */
#ifndef INFERSCOPE_FLUSHER_H
#define INFERSCOPE_FLUSHER_H

#include <stdbool.h>

/* Starts it. Returns false when no thread could be started. */
bool flusher_start(void *(*run)(void *));
/* Has the program's end wait for flusher_run, from now on; to be called once CUPTI is in use and flusher_run is certain to run. */
void flusher_end_with_program(void);
/* What it does: it collects records until the program ends, or goes_on returns false, which is asked after each wait. */
void flusher_run(bool (*goes_on)(void));
/* The same until the program ends. */
void *flush_to_the_end(void *unused);

#endif
