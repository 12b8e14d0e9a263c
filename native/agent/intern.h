/* Stores repeated values once, under an id. Calls must not overlap. */
#ifndef INFERSCOPE_INTERN_H
#define INFERSCOPE_INTERN_H

#include <stdint.h>

/* Finds the C++ library's demangler: the program's own, otherwise the system's. To be called before any lock is held,
 * because the loader takes a lock. */
void intern_prepare(void);
uint32_t intern_text(const char *text);
/* As intern_text, for a text that CUPTI owns: found by its address, compared once per buffer. C++ names are
 * demangled. */
uint32_t intern_name(const char *name);
/* Has `told` called with each new name that CUPTI owns, and the id of its text. Called before recording begins. */
void intern_tell(void (*told)(const char *name, uint32_t text));
/* Called before the records of the next buffer. */
void intern_next_buffer(void);
uint32_t intern_lane(uint32_t device, uint32_t context, uint32_t stream);
enum { CONFIGURATION_WORDS = 9 };
/* Grid x, y, z; block x, y, z; registers per thread; static and dynamic shared memory in bytes. */
uint32_t intern_configuration(const uint32_t words[CONFIGURATION_WORDS]);

#endif
