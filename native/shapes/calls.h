/* The known calls of an operator, found by numbers: shapes and dtypes of their input tensors. */
#ifndef INFERSCOPE_SHAPES_CALLS_H
#define INFERSCOPE_SHAPES_CALLS_H

#include "shapes.h"

/* NO_TENSOR: number of an argument that is not a tensor; no dtype has this address. */
enum { NO_TENSOR = 0, MOST_NUMBERS = 64 };

/* For each tensor: the address of its dtype, its number of dimensions, its dimensions. */
struct numbers {
    int count;
    int64_t values[MOST_NUMBERS];
};

/* One call: its entry in Python (with a reference), the ids of its signature and of its usual output, and the numbers
 * of its inputs and of that output. `over` is 0 if it has no usual single output tensor. It is reference-counted: by
 * its table and by its running operators. */
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

/* Adds a tensor. Returns 0, with or without an exception, if it is not a tensor with an integer shape, or there are too
 * many numbers. */
int add_tensor(struct numbers *numbers, PyObject *tensor, PyTypeObject *dtype_class);

/* Adds a number. Returns 0 if there are too many. */
int add_number(struct numbers *numbers, int64_t number);

/* The call of these inputs, or NULL. */
struct call *find_call(const struct calls *calls, const struct numbers *inputs);

/* Adds a new call and returns it; NULL if memory is exhausted. */
struct call *add_call(struct calls *calls, const struct numbers *inputs, PyObject *entry, uint64_t ident, uint64_t over, const struct numbers *outputs);

void drop_call(struct call *call);

/* Returns whether a result is the call's usual output. */
int is_usual(const struct call *call, const struct numbers *outputs);

void forget_calls(struct calls *calls);

#endif
