#include "running.h"

struct running agent = {.storing = PTHREAD_MUTEX_INITIALIZER};
