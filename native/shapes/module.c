/* The module inferscope._shape_native: the part of the shape recorder that runs for every operator. */
#include "shapes.h"

static struct method methods[] = {
    {"rows", (void *)rows, METHOD_FASTCALL,
     "rows(texts, idents, first, middle, end): the lines of operators as bytes. Raises KeyError for an id without a text."},
    {0},
};

static struct slot slots[] = {{MODULE_EXEC, add_dispatch}, {0, NULL}};

static struct module module = {.head = {1, NULL}, .name = "inferscope._shape_native", .methods = methods, .slots = slots};

__attribute__((visibility("default"))) PyObject *PyInit__shape_native(void) {
    return PyModuleDef_Init(&module);
}
