/* The agent's thread. */
#ifndef INFERSCOPE_FLUSHER_H
#define INFERSCOPE_FLUSHER_H

#include <stdbool.h>

/* Starts the thread. Returns false on failure. */
bool flusher_start(void *(*run)(void *));
/* Makes the program's end wait for flusher_run; to be called once CUPTI is in use and flusher_run is certain to run. */
void flusher_end_with_program(void);
/* Collects records until the program ends or goes_on, which is called after each wait, returns false. */
void flusher_run(bool (*goes_on)(void));
/* The same until the program ends. */
void *flush_to_the_end(void *unused);

#endif
