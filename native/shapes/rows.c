/* Makes the lines of a shape log for many operators at once, for ShapeFiles. */
#include "shapes.h"

#include <stdlib.h>
#include <string.h>

static const char BEGINNING[] = "{\"call_id\": ";

enum { MOST_DIGITS = 20 };

struct text {
    const char *bytes;
    ssize_t length;
};

static char *put(char *at, const char *bytes, ssize_t length) {
    memcpy(at, bytes, (size_t)length);
    return at + length;
}

static char *put_number(char *at, uint64_t number) {
    char digits[MOST_DIGITS];
    int first = MOST_DIGITS;
    do {
        digits[--first] = (char)('0' + number % 10);
    } while (number /= 10);
    return put(at, digits + first, MOST_DIGITS - first);
}

/* Gets the UTF-8 of a str, which is valid as long as the str. Returns 0 with an exception on failure. */
static int read_text(PyObject *object, struct text *text) {
    text->bytes = object ? PyUnicode_AsUTF8AndSize(object, &text->length) : NULL;
    return text->bytes != NULL;
}

/* Finds the texts of ids. Returns their whole length in bytes, or -1 with an exception. */
static ssize_t find_texts(PyObject *texts, PyObject *idents, ssize_t length, struct text *found) {
    ssize_t bytes = 0;
    for (ssize_t i = 0; i < length; i++) {
        PyObject *ident = PyList_GetItem(idents, i), *text = PyDict_GetItemWithError(texts, ident);
        if (!text && !PyErr_Occurred())
            PyErr_SetObject(PyExc_KeyError, ident);
        if (!text || !read_text(text, &found[i]))
            return -1;
        bytes += found[i].length;
    }
    return bytes;
}

static ssize_t digits_of(uint64_t number) {
    ssize_t digits = 1;
    while (number /= 10)
        digits++;
    return digits;
}

/* The total number of digits of `length` numbers from `first` on. */
static ssize_t digits_from(uint64_t first, ssize_t length) {
    ssize_t digits = 0;
    for (ssize_t i = 0; i < length; i++)
        digits += digits_of(first + (uint64_t)i);
    return digits;
}

static PyObject *join(const struct text *found, ssize_t length, ssize_t bytes, uint64_t first, struct text middle, struct text end) {
    const ssize_t beginning = sizeof BEGINNING - 1;
    bytes += digits_from(first, length) + length * (beginning + middle.length + end.length);
    PyObject *lines = PyBytes_FromStringAndSize(NULL, bytes);
    char *at = lines ? PyBytes_AsString(lines) : NULL;
    for (ssize_t i = 0; at && i < length; i++) {
        at = put(at, BEGINNING, beginning);
        at = put_number(at, first + (uint64_t)i);
        at = put(at, middle.bytes, middle.length);
        at = put(at, found[i].bytes, found[i].length);
        at = put(at, end.bytes, end.length);
    }
    return lines;
}

PyObject *rows(PyObject *module, PyObject *const *args, ssize_t count) {
    (void)module;
    struct text middle, end;
    if (count != 5) {
        PyErr_SetString(PyExc_TypeError, "rows takes texts, idents, first, middle and end");
        return NULL;
    }
    ssize_t length = PyList_Size(args[1]);
    uint64_t first = PyLong_AsUnsignedLongLong(args[2]);
    if (PyErr_Occurred() || !read_text(args[3], &middle) || !read_text(args[4], &end))
        return NULL;
    struct text *found = malloc((size_t)(length + 1) * sizeof *found);
    if (!found)
        return PyErr_NoMemory();
    ssize_t bytes = find_texts(args[0], args[1], length, found);
    PyObject *result = bytes < 0 ? NULL : join(found, length, bytes, first, middle, end);
    free(found);
    return result;
}
