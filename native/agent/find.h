/* Finding libcupti and its functions. */
#ifndef INFERSCOPE_FIND_H
#define INFERSCOPE_FIND_H

#include "cupti_abi.h"

#include <stdbool.h>
#include <stddef.h>

/* Opens libcupti. Returns NULL when there is none; `how` then says what was looked for, else where it was found. */
void *cupti_open(char *how, size_t how_bytes);
bool cupti_resolve(void *library, struct cupti *cupti, const char **missing);

#endif
