#include "calls.h"

#include <stdlib.h>
#include <string.h>

int add_number(struct numbers *numbers, int64_t number) {
    if (numbers->count == MOST_NUMBERS)
        return 0;
    numbers->values[numbers->count++] = number;
    return 1;
}

static int add_dimensions(struct numbers *numbers, PyObject *shape) {
    ssize_t count = PyTuple_Size(shape);
    if (count < 0 || !add_number(numbers, count))
        return 0;
    for (ssize_t i = 0; i < count; i++) {
        PyObject *size = PyTuple_GetItem(shape, i);
        /* The value of a symbolic size must not be read. */
        int64_t number = type_of(size) == &PyLong_Type ? PyLong_AsLongLong(size) : -1;
        if (number < 0 || !add_number(numbers, number))
            return 0;
    }
    return 1;
}

int add_tensor(struct numbers *numbers, PyObject *tensor, PyTypeObject *dtype_class) {
    PyObject *dtype = PyObject_GetAttr(tensor, name_dtype);
    /* PyTorch's dtypes live for ever, so an address identifies a dtype. */
    int added = dtype && type_of(dtype) == dtype_class && add_number(numbers, (int64_t)(intptr_t)dtype);
    drop(&dtype);
    PyObject *shape = added ? PyObject_GetAttr(tensor, name_shape) : NULL;
    added = shape && add_dimensions(numbers, shape);
    drop(&shape);
    return added;
}

static uint64_t hash_of(const struct numbers *numbers) {
    uint64_t hash = (uint64_t)numbers->count;
    for (int i = 0; i < numbers->count; i++) {
        hash = (hash ^ (uint64_t)numbers->values[i]) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return hash;
}

static int is_of(const struct call *call, uint64_t hash, const struct numbers *inputs) {
    return call->hash == hash && call->inputs == inputs->count && !memcmp(call->values, inputs->values, (size_t)inputs->count * sizeof(int64_t));
}

struct call *find_call(const struct calls *calls, const struct numbers *inputs) {
    uint64_t hash = hash_of(inputs);
    if (calls->capacity)
        for (size_t at = hash & (calls->capacity - 1); calls->places[at]; at = (at + 1) & (calls->capacity - 1))
            if (is_of(calls->places[at], hash, inputs))
                return calls->places[at];
    return NULL;
}

static void place(struct calls *calls, struct call *call) {
    size_t at = call->hash & (calls->capacity - 1);
    while (calls->places[at])
        at = (at + 1) & (calls->capacity - 1);
    calls->places[at] = call;
}

/* Makes room for one more, so that at least half of the places stay free. */
static int grow(struct calls *calls) {
    if (2 * (calls->used + 1) <= calls->capacity)
        return 1;
    struct calls larger = {NULL, calls->capacity ? 4 * calls->capacity : 8, calls->used};
    larger.places = calloc(larger.capacity, sizeof *larger.places);
    if (!larger.places)
        return 0;
    for (size_t i = 0; i < calls->capacity; i++)
        if (calls->places[i])
            place(&larger, calls->places[i]);
    free(calls->places);
    *calls = larger;
    return 1;
}

struct call *add_call(struct calls *calls, const struct numbers *inputs, PyObject *entry, uint64_t ident, uint64_t over, const struct numbers *outputs) {
    struct call *call = grow(calls) ? malloc(sizeof *call + (size_t)(inputs->count + outputs->count) * sizeof(int64_t)) : NULL;
    if (!call)
        return NULL;
    *call = (struct call){entry, hash_of(inputs), ident, over, 1, inputs->count, outputs->count};
    memcpy(call->values, inputs->values, (size_t)inputs->count * sizeof(int64_t));
    memcpy(call->values + inputs->count, outputs->values, (size_t)outputs->count * sizeof(int64_t));
    Py_IncRef(entry);
    place(calls, call);
    calls->used++;
    return call;
}

int is_usual(const struct call *call, const struct numbers *outputs) {
    return call->outputs == outputs->count && !memcmp(call->values + call->inputs, outputs->values, (size_t)outputs->count * sizeof(int64_t));
}

void drop_call(struct call *call) {
    if (--call->holders)
        return;
    drop(&call->entry);
    free(call);
}

void forget_calls(struct calls *calls) {
    struct calls old = *calls;
    *calls = (struct calls){NULL, 0, 0};
    for (size_t i = 0; i < old.capacity; i++)
        if (old.places[i])
            drop_call(old.places[i]);
    free(old.places);
}
