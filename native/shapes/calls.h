/* The calls of an operator that have come, found by numbers: the shapes and dtypes of the tensors that they were given. */
#ifndef INFERSCOPE_SHAPES_CALLS_H
#define INFERSCOPE_SHAPES_CALLS_H

#include "shapes.h"

/* What stands for an argument that is no tensor: no dtype has this address. */
enum { NO_TENSOR = 0, MOST_NUMBERS = 64 };

/* For each tensor the address of its dtype, how many dimensions it has, and these. */
struct numbers {
    int count;
    int64_t values[MOST_NUMBERS];
};

/* One call: its entry in Python (held), the ids of the signatures of it and of what mostly comes of it, and the numbers of its inputs, then of that
 * outcome. `over` is 0 where no one tensor is what mostly comes of it. It lives until its last holder drops it: its table, and whoever runs it. */
struct call {
    PyObject *entry;
    uint64_t hash, ident, over;
    int holders, inputs, outputs;
    int64_t values[];
};

/* Calls by hash: `capacity` is a power of two, or 0. */
struct calls {
    struct call **places;
    size_t capacity, used;
};

/* Adds a tensor. Returns 0 where it is none whose shape is whole numbers, or there are too many: with or without an exception. */
int add_tensor(struct numbers *numbers, PyObject *tensor, PyTypeObject *dtype_class);

/* Adds a number. Returns 0 where there are too many. */
int add_number(struct numbers *numbers, int64_t number);

/* The call of these inputs, or NULL. */
struct call *find_call(const struct calls *calls, const struct numbers *inputs);

/* Adds a call that is not there, and returns it; NULL where memory is at an end. */
struct call *add_call(struct calls *calls, const struct numbers *inputs, PyObject *entry, uint64_t ident, uint64_t over, const struct numbers *outputs);

void drop_call(struct call *call);

/* Whether a result is what mostly comes of a call. */
int is_usual(const struct call *call, const struct numbers *outputs);

void forget_calls(struct calls *calls);

#endif
