/* Finding libcupti and its functions. */
#ifndef INFERSCOPE_FIND_H
#define INFERSCOPE_FIND_H

#include "cupti_abi.h"

#include <stdbool.h>
#include <stddef.h>

/* Opens libcupti. `how` is set to the place where it was found or, if the result is NULL, to the places searched. */
void *cupti_open(char *how, size_t how_bytes);
bool cupti_resolve(void *library, struct cupti *cupti, const char **missing);

#endif
