/* Shared by the parts of the library. */
#ifndef INFERSCOPE_SHAPES_H
#define INFERSCOPE_SHAPES_H

#include "python_abi.h"

#define UNUSED __attribute__((unused))

UNUSED static inline PyTypeObject *type_of(PyObject *object) {
    return ((struct object_head *)object)->type;
}

UNUSED static inline int is_none(PyObject *object) {
    return object == &_Py_NoneStruct;
}

UNUSED static inline void drop(PyObject **place) {
    PyObject *object = *place;
    *place = NULL;
    if (object)
        Py_DecRef(object);
}

extern PyObject *name_shape, *name_dtype;

/* Adds class Dispatch to the module. Returns -1 with an exception on failure. */
int add_dispatch(PyObject *module);

/* Method of the module: see rows.c. */
PyObject *rows(PyObject *module, PyObject *const *args, ssize_t count);

#endif
