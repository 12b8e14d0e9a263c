/* Finding libcupti and its functions. */
#ifndef INFERSCOPE_FIND_H
#define INFERSCOPE_FIND_H

#include "cupti_abi.h"

#include <stdbool.h>
#include <stddef.h>

/* Opens libcupti. `how` is set to the place where it was found or, if the result is NULL, to the places searched. */
void *cupti_open(char *how, size_t how_bytes);
/* Copies the path of the loaded libcupti. Returns false if it is not known. */
bool cupti_path(char *path, size_t path_bytes);
/* Returns whether a file whose name begins so is mapped. */
bool is_mapped(const char *name_start);
/* Returns the version of CUDA that the driver supports, such as 13000; 0 if it is not known. */
int driver_version(void);
bool cupti_resolve(void *library, struct cupti *cupti, const char **missing);

#endif
