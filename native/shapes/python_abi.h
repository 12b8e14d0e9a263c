/* The part of CPython's stable binary interface that the shape recorder uses, as docs.python.org/3/c-api/stable.html lists it: the same in every
 * CPython from 3.10 on that has a global interpreter lock. Py_buffer is in the list from 3.11 on, and had the same layout before.
 * native/stubs/python_abi_check.c compares it with the header of an installed Python. */
#ifndef INFERSCOPE_PYTHON_ABI_H
#define INFERSCOPE_PYTHON_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct _object PyObject;
typedef struct _typeobject PyTypeObject;

/* The first fields of every object. The reference count is accessed only through functions. */
struct object_head {
    uint64_t references;
    PyTypeObject *type;
};

struct method {
    const char *name;
    void *function;
    int flags;
    const char *doc;
};

struct member {
    const char *name;
    int type;
    ssize_t offset;
    int flags;
    const char *doc;
};

struct accessor {
    const char *name;
    PyObject *(*get)(PyObject *, void *);
    int (*set)(PyObject *, PyObject *, void *);
    const char *doc;
    void *closure;
};

struct slot {
    int id;
    void *value;
};

struct type_spec {
    const char *name;
    int size_bytes, item_bytes;
    unsigned int flags;
    struct slot *slots;
};

struct module {
    struct object_head head;
    void *unused[3];
    const char *name, *doc;
    ssize_t state_bytes;
    struct method *methods;
    struct slot *slots;
    void *more[3];
};

struct buffer {
    void *start;
    PyObject *owner;
    ssize_t length, item_bytes;
    int readonly, dimensions;
    char *format;
    ssize_t *shape, *strides, *suboffsets;
    void *internal;
};

enum {
    MODULE_EXEC = 2,
    TYPE_CLEAR = 51,
    TYPE_DEALLOC = 52,
    TYPE_DOC = 56,
    TYPE_METHODS = 64,
    TYPE_TRAVERSE = 71,
    TYPE_MEMBERS = 72,
    TYPE_GETSET = 73,
    TYPE_FREE = 74,
    METHOD_KEYWORDS = 0x2,
    METHOD_FASTCALL = 0x80,
    MEMBER_OBJECT = 16,
    MEMBER_UINT64 = 18,
    FLAG_BASE = 1 << 10,
    FLAG_GC = 1 << 14,
    BUFFER_WRITABLE = 1
};

typedef int (*visitor)(PyObject *, void *);

#ifndef Py_PYTHON_H
extern PyObject _Py_NoneStruct;
extern PyObject *PyExc_Exception, *PyExc_KeyError, *PyExc_TypeError;
extern PyTypeObject PyFloat_Type, PyLong_Type;

void Py_IncRef(PyObject *object);
void Py_DecRef(PyObject *object);

PyObject *PyObject_GetAttr(PyObject *object, PyObject *name);
PyObject *PyObject_Call(PyObject *function, PyObject *args, PyObject *kwargs);
PyObject *PyObject_CallMethodObjArgs(PyObject *object, PyObject *name, ...);
int PyObject_IsTrue(PyObject *object);
void PyObject_GC_UnTrack(void *object);

PyObject *PyIter_Next(PyObject *iterator);
PyObject *PyDict_New(void);
int PyDict_SetItem(PyObject *dict, PyObject *key, PyObject *value);
PyObject *PyDict_GetItemWithError(PyObject *dict, PyObject *key);
PyObject *PyTuple_New(ssize_t length);
ssize_t PyTuple_Size(PyObject *tuple);
PyObject *PyTuple_GetItem(PyObject *tuple, ssize_t index);
int PyTuple_SetItem(PyObject *tuple, ssize_t index, PyObject *stolen);
ssize_t PyList_Size(PyObject *list);
PyObject *PyList_GetItem(PyObject *list, ssize_t index);
long PyLong_AsLong(PyObject *number);
ssize_t PyLong_AsSsize_t(PyObject *number);
PyObject *PyLong_FromSsize_t(ssize_t number);
PyObject *PyLong_FromUnsignedLongLong(unsigned long long number);
long long PyLong_AsLongLong(PyObject *number);
unsigned long long PyLong_AsUnsignedLongLong(PyObject *number);
PyObject *PyUnicode_InternFromString(const char *text);
const char *PyUnicode_AsUTF8AndSize(PyObject *text, ssize_t *length);
PyObject *PyBytes_FromStringAndSize(const char *bytes, ssize_t length);
char *PyBytes_AsString(PyObject *bytes);

int PyObject_GetBuffer(PyObject *object, struct buffer *buffer, int flags);
void PyBuffer_Release(struct buffer *buffer);

PyObject *PyErr_Occurred(void);
void PyErr_Clear(void);
int PyErr_CheckSignals(void);
int PyErr_ExceptionMatches(PyObject *type);
void PyErr_Fetch(PyObject **type, PyObject **value, PyObject **traceback);
void PyErr_NormalizeException(PyObject **type, PyObject **value, PyObject **traceback);
void PyErr_Restore(PyObject *type, PyObject *value, PyObject *traceback);
void PyErr_SetString(PyObject *type, const char *message);
void PyErr_SetObject(PyObject *type, PyObject *value);
PyObject *PyErr_NoMemory(void);

PyObject *PyImport_ImportModule(const char *name);
PyObject *PyModuleDef_Init(struct module *module);
int PyModule_AddObjectRef(PyObject *module, const char *name, PyObject *object);
PyObject *PyType_FromSpec(struct type_spec *spec);
void *PyType_GetSlot(PyTypeObject *type, int slot);
#endif

#endif
