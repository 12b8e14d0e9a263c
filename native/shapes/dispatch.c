/* Fast path of the shape recorder: class Dispatch, from which the modes of inferscope/shapes/mode.py inherit if it can
 * be loaded. It replaces ShapeMode.see for known calls of operators whose tensors come first; for all other calls it
 * calls ShapeMode.see. The terms are those of mode.py. */
#include "calls.h"

enum { ANY = 0, LISTED = -1, MOST_LEADING = 3 };

/* Table of recent operators by the address of their function, to which a reference is kept. PLACES: size of the table;
 * TRIED: places tried from an address's own place; MOST_CALLS: calls kept of all operators together. */
enum { PLACES = 256, TRIED = 8, MOST_CALLS = 100000 };

struct operator_known {
    PyObject *func, *call, *entries;
    long leading;
    struct calls calls;
};

struct dispatch {
    struct object_head head;
    PyObject *book, *tensor_class, *dtype_class, *chunk;
    uint64_t running, done;

    /* The chunk's words, and the iterator over its unused indexes. */
    uint64_t *words;
    ssize_t length;
    PyObject *indexes;

    /* The book of the known operators, and the number of their calls. */
    PyObject *known_of;
    size_t calls;
    struct operator_known known[PLACES];
};

PyObject *name_shape, *name_dtype;
static PyObject *name_ident, *name_over, *name_leading, *name_call, *name_operator, *name_known, *name_self, *name_see, *name_failed,
    *name_store_outputs, *name_by_handler;
static PyObject *signals; /* inferscope._signals */

static void forget_operator(struct operator_known *known) {
    struct operator_known old = *known;
    *known = (struct operator_known){0};
    forget_calls(&old.calls);
    drop(&old.call);
    drop(&old.entries);
    drop(&old.func);
}

static void forget_operators(struct dispatch *self) {
    self->calls = 0;
    for (int i = 0; i < PLACES; i++)
        forget_operator(&self->known[i]);
    drop(&self->known_of);
}

/* Reads the properties of an operator. Returns NULL, with or without an exception, on failure. */
static struct operator_known *learn_operator(struct dispatch *self, struct operator_known *place, PyObject *func) {
    PyObject *book = self->known_of;
    Py_IncRef(book);
    PyObject *entries = PyObject_CallMethodObjArgs(book, name_operator, func, NULL);
    PyObject *operator = entries ? PyObject_GetAttr(entries, name_operator) : NULL;
    PyObject *call = operator ? PyObject_GetAttr(operator, name_call) : NULL;
    PyObject *leading = call ? PyObject_GetAttr(entries, name_leading) : NULL;
    struct operator_known new = {.func = func, .call = call, .entries = entries, .leading = leading ? PyLong_AsLong(leading) : ANY};
    int learned = leading && !PyErr_Occurred() && self->known_of == book;
    drop(&leading);
    drop(&operator);
    drop(&book);
    if (!learned) {
        drop(&call);
        drop(&entries);
        return NULL;
    }
    self->calls -= place->calls.used;
    Py_IncRef(func);
    struct operator_known old = *place;
    *place = new;
    forget_operator(&old);
    return place;
}

static struct operator_known *operator_of(struct dispatch *self, PyObject *func) {
    if (self->known_of != self->book || self->calls > MOST_CALLS) {
        forget_operators(self);
        self->known_of = self->book;
        Py_IncRef(self->known_of);
    }
    size_t home = (size_t)(((uint64_t)(uintptr_t)func * 0x9E3779B97F4A7C15u) >> 56), at = home;
    for (int i = 0; i < TRIED; i++, at = (at + 1) % PLACES) {
        struct operator_known *place = &self->known[at];
        if (place->func == func)
            return place;
        if (!place->func)
            return learn_operator(self, place, func);
    }
    return learn_operator(self, &self->known[home], func);
}

/* Adds the tensors of a list, which Python code may change at the same time. */
static int add_list(struct dispatch *self, struct numbers *inputs, PyObject *list) {
    for (ssize_t i = 0; i < PyList_Size(list); i++) {
        PyObject *tensor = PyList_GetItem(list, i);
        Py_IncRef(tensor);
        int added = add_tensor(inputs, tensor, (PyTypeObject *)self->dtype_class);
        drop(&tensor);
        if (!added)
            return 0;
    }
    return inputs->count > 0;
}

/* Reads the tensors of a call whose tensors come first. Returns 0, with or without an exception, for any other call. */
static int read_inputs(struct dispatch *self, long leading, PyObject *given, struct numbers *inputs) {
    ssize_t count = PyTuple_Size(given);
    inputs->count = 0;
    if (leading == LISTED)
        return count > 0 && add_list(self, inputs, PyTuple_GetItem(given, 0));
    if (leading == ANY || leading > MOST_LEADING || count < leading)
        return 0;
    for (long i = 0; i < leading; i++) {
        PyObject *value = PyTuple_GetItem(given, i);
        int plain = i == 1 && leading == 2 && type_of(value) == &PyFloat_Type;
        if (is_none(value) || !(plain ? add_number(inputs, NO_TENSOR) : add_tensor(inputs, value, (PyTypeObject *)self->dtype_class)))
            return 0;
    }
    return 1;
}

static uint64_t number_of(PyObject *object, PyObject *name) {
    PyObject *number = PyObject_GetAttr(object, name);
    uint64_t value = number ? PyLong_AsUnsignedLongLong(number) : 0;
    drop(&number);
    return value;
}

/* Copies a call that Python knows. Returns NULL, with or without an exception, for an unknown call or on failure. */
static struct call *learn_call(struct dispatch *self, struct operator_known *known, PyObject *entries, PyObject *given, const struct numbers *inputs) {
    PyObject *entry = PyObject_CallMethodObjArgs(entries, name_known, given, NULL);
    struct numbers outputs = {.count = 0};
    uint64_t ident = entry && !is_none(entry) ? number_of(entry, name_ident) : 0, over = ident ? number_of(entry, name_over) : 0;
    int complete = ident && (!over || add_tensor(&outputs, entry, (PyTypeObject *)self->dtype_class));
    struct call *call = NULL;
    if (complete && !PyErr_Occurred() && known->entries == entries)
        call = add_call(&known->calls, inputs, entry, ident, over, &outputs);
    self->calls += call != NULL;
    drop(&entry);
    return call;
}

/* Takes the next index into the words of the chunk, or -1 if the chunk is full. */
static ssize_t take_index(struct dispatch *self) {
    PyObject *number = self->indexes ? PyIter_Next(self->indexes) : NULL;
    ssize_t index = number ? PyLong_AsSsize_t(number) : -1;
    drop(&number);
    return index < self->length ? index : -1;
}

/* Returns whether the program's handler of a signal raised the exception with this traceback, as inferscope/_signals.py
 * finds out. What is raised meanwhile, by another signal, takes the place of that exception if it is no Exception. */
static int is_of_handler(PyObject *traceback) {
    PyObject *answer = traceback ? PyObject_CallMethodObjArgs(signals, name_by_handler, traceback, NULL) : NULL;
    int is = answer && PyObject_IsTrue(answer) > 0;
    drop(&answer);
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception))
        PyErr_Clear();
    return is;
}

/* Clears the recorder's own exception. Returns 0 if an exception of the program stays: SystemExit or KeyboardInterrupt,
 * or what its handler of a signal raised. */
static int clear_own(void) {
    if (!PyErr_Occurred())
        return 1;
    if (!PyErr_ExceptionMatches(PyExc_Exception))
        return 0;
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    int is = is_of_handler(traceback);
    if (is && !PyErr_Occurred()) {
        PyErr_Restore(type, error, traceback);
        return 0;
    }
    drop(&type);
    drop(&error);
    drop(&traceback);
    return !PyErr_Occurred();
}

/* A running operator: the objects needed to record its end, with references. */
struct running {
    PyObject *book, *chunk, *function;
    struct call *call;
    uint64_t *word, done;
    ssize_t index;
};

/* Records the end of a call by a method(words, index, done, entry, value) of the book. Returns the result of
 * clear_own. */
static int tell(const struct running *running, PyObject *name, PyObject *value) {
    PyObject *index = PyLong_FromSsize_t(running->index), *done = PyLong_FromUnsignedLongLong(running->done), *answer = NULL;
    if (index && done)
        answer = PyObject_CallMethodObjArgs(running->book, name, PyTuple_GetItem(running->chunk, 0), index, done, running->call->entry, value, NULL);
    drop(&index);
    drop(&done);
    drop(&answer);
    return clear_own();
}

/* Stores a word at once: the process may end at any time, so the compiler must not omit or delay the store. */
static inline void store(uint64_t *word, uint64_t value) {
    *(volatile uint64_t *)word = value;
}

/* Begins a known call. Returns 0 for an unknown call, -1 with an exception of the program. Any step that runs Python
 * code may let another thread use the same mode, so the book or the known operator may have changed afterwards, which a
 * comparison of the entries shows. */
static int begin(struct dispatch *self, PyObject *func, PyObject *given, struct running *running) {
    struct numbers inputs;
    struct operator_known *known = operator_of(self, func);
    PyObject *entries = known ? known->entries : NULL;
    struct call *call = NULL;
    if (entries)
        Py_IncRef(entries);
    if (entries && read_inputs(self, known->leading, given, &inputs) && known->entries == entries && !(call = find_call(&known->calls, &inputs)))
        call = learn_call(self, known, entries, given, &inputs);
    ssize_t index = call && known->entries == entries && self->known_of == self->book ? take_index(self) : -1;
    drop(&entries);
    if (index < 0)
        return clear_own() ? 0 : -1;
    *running = (struct running){self->book, self->chunk, known->call, call, &self->words[index], self->done, index};
    Py_IncRef(running->book);
    Py_IncRef(running->chunk);
    Py_IncRef(running->function);
    call->holders++;
    store(running->word, self->running + call->ident);
    return 1;
}

/* Records the exception that a call has raised. The exception stays set, unless a signal replaces it by another one of
 * the program. */
static void fail(const struct running *running) {
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyErr_NormalizeException(&type, &error, &traceback);
    if (tell(running, name_failed, error)) {
        PyErr_Restore(type, error, traceback);
    } else {
        drop(&type);
        drop(&error);
        drop(&traceback);
    }
}

/* Records the result of a call. Returns 0 with an exception of the program: a signal that arrived while the operator
 * ran is handled before any code of the recorder, as if the operator had raised. */
static int end(struct dispatch *self, const struct running *running, PyObject *result) {
    struct numbers outputs = {.count = 0};
    struct call *call = running->call;
    if (call->over && (PyObject *)type_of(result) == self->tensor_class && add_tensor(&outputs, result, (PyTypeObject *)self->dtype_class) &&
        is_usual(call, &outputs)) {
        store(running->word, running->done + call->over);
        return 1;
    }
    if (!clear_own())
        return 0;
    if (PyErr_CheckSignals() < 0) {
        fail(running);
        return 0;
    }
    return tell(running, name_store_outputs, result);
}

/* Slow path, in Python, for a call with keyword arguments. */
static PyObject *see_named(struct dispatch *self, PyObject *const *args, ssize_t count, PyObject *names) {
    PyObject *method = PyObject_GetAttr((PyObject *)self, name_see), *given = PyTuple_New(count), *named = PyDict_New(), *result = NULL;
    int made = method && given && named;
    for (ssize_t i = 0; made && i < count; i++) {
        Py_IncRef(args[i]);
        made = PyTuple_SetItem(given, i, args[i]) == 0;
    }
    for (ssize_t i = 0; made && names && i < PyTuple_Size(names); i++)
        made = PyDict_SetItem(named, PyTuple_GetItem(names, i), args[count + i]) == 0;
    if (made)
        result = PyObject_Call(method, given, named);
    drop(&method);
    drop(&given);
    drop(&named);
    return result;
}

static PyObject *see(struct dispatch *self, PyObject *const *args, ssize_t count) {
    return PyObject_CallMethodObjArgs((PyObject *)self, name_see, args[0], args[1], args[2], count > 3 ? args[3] : NULL, NULL);
}

static PyObject *dispatch(struct dispatch *self, PyObject *const *args, ssize_t count, PyObject *names) {
    if (names || count < 3 || count > 4)
        return see_named(self, args, count, names);
    PyObject *given = args[2], *named = count > 3 && !is_none(args[3]) ? args[3] : NULL;
    if (!self->book || is_none(self->book)) {
        if (self->known_of)
            forget_operators(self);
        return see(self, args, count);
    }
    struct running running;
    int begun = begin(self, args[0], given, &running);
    if (begun <= 0)
        return begun ? NULL : see(self, args, count);
    PyObject *result = PyObject_Call(running.function, given, named);
    if (!result)
        fail(&running);
    else if (!end(self, &running, result))
        drop(&result);
    drop_call(running.call);
    Py_DecRef(running.function);
    Py_DecRef(running.chunk);
    Py_DecRef(running.book);
    return result;
}

static PyObject *get_chunk(PyObject *object, void *unused) {
    (void)unused;
    struct dispatch *self = (struct dispatch *)object;
    PyObject *chunk = self->chunk ? self->chunk : &_Py_NoneStruct;
    Py_IncRef(chunk);
    return chunk;
}

/* Takes (words, take), where take is __next__ of an iterator over indexes, or None. The memory of the words must stay
 * valid as long as the words object lives. */
static int set_chunk(PyObject *object, PyObject *chunk, void *unused) {
    (void)unused;
    struct dispatch *self = (struct dispatch *)object;
    struct buffer buffer = {0};
    PyObject *indexes = NULL;
    if (chunk && !is_none(chunk)) {
        PyObject *words = PyTuple_GetItem(chunk, 0), *take = words ? PyTuple_GetItem(chunk, 1) : NULL;
        indexes = take ? PyObject_GetAttr(take, name_self) : NULL;
        if (!indexes)
            return -1;
        if (PyObject_GetBuffer(words, &buffer, BUFFER_WRITABLE) < 0) {
            drop(&indexes);
            return -1;
        }
        PyBuffer_Release(&buffer);
        Py_IncRef(chunk);
    } else {
        chunk = NULL;
    }
    PyObject *old_chunk = self->chunk, *old_indexes = self->indexes;
    self->chunk = chunk;
    self->indexes = indexes;
    self->words = buffer.start;
    self->length = buffer.length / (ssize_t)sizeof(uint64_t);
    drop(&old_chunk);
    drop(&old_indexes);
    return 0;
}

static int clear(PyObject *object) {
    struct dispatch *self = (struct dispatch *)object;
    forget_operators(self);
    drop(&self->book);
    drop(&self->tensor_class);
    drop(&self->dtype_class);
    drop(&self->chunk);
    drop(&self->indexes);
    return 0;
}

/* The entries of calls are not visited: the book also refers to them, so every cycle through them includes the book. */
static int traverse(PyObject *object, visitor visit, void *arg) {
    struct dispatch *self = (struct dispatch *)object;
    PyObject *held[] = {self->book, self->tensor_class, self->dtype_class, self->chunk, self->indexes, self->known_of, (PyObject *)type_of(object)};
    int answer = 0;
    for (size_t i = 0; !answer && i < sizeof held / sizeof *held; i++)
        answer = held[i] ? visit(held[i], arg) : 0;
    for (int i = 0; !answer && i < PLACES; i++) {
        PyObject *of_operator[] = {self->known[i].func, self->known[i].call, self->known[i].entries};
        for (int j = 0; !answer && j < 3; j++)
            answer = of_operator[j] ? visit(of_operator[j], arg) : 0;
    }
    return answer;
}

static void deallocate(PyObject *object) {
    PyTypeObject *type = type_of(object);
    PyObject_GC_UnTrack(object);
    clear(object);
    ((void (*)(void *))PyType_GetSlot(type, TYPE_FREE))(object);
    Py_DecRef((PyObject *)type);
}

static struct member members[] = {
    {"book", MEMBER_OBJECT, offsetof(struct dispatch, book), 0, NULL},
    {"tensor_class", MEMBER_OBJECT, offsetof(struct dispatch, tensor_class), 0, NULL},
    {"dtype_class", MEMBER_OBJECT, offsetof(struct dispatch, dtype_class), 0, NULL},
    {"running", MEMBER_UINT64, offsetof(struct dispatch, running), 0, NULL},
    {"done", MEMBER_UINT64, offsetof(struct dispatch, done), 0, NULL},
    {0},
};

static struct accessor accessors[] = {{"chunk", get_chunk, set_chunk, NULL, NULL}, {0}};

static struct method methods[] = {{"__torch_dispatch__", (void *)dispatch, METHOD_FASTCALL | METHOD_KEYWORDS, NULL}, {0}};

static struct slot slots[] = {
    {TYPE_DOC, "What of a mode is in C: see native/shapes/dispatch.c."},
    {TYPE_DEALLOC, deallocate},
    {TYPE_TRAVERSE, traverse},
    {TYPE_CLEAR, clear},
    {TYPE_METHODS, methods},
    {TYPE_MEMBERS, members},
    {TYPE_GETSET, accessors},
    {0, NULL},
};

static struct type_spec type = {"inferscope._shape_native.Dispatch", sizeof(struct dispatch), 0, FLAG_BASE | FLAG_GC, slots};

int add_dispatch(PyObject *module) {
    const struct {
        PyObject **place;
        const char *text;
    } names[] = {
        {&name_shape, "shape"}, {&name_dtype, "dtype"},   {&name_ident, "ident"},       {&name_over, "over"}, {&name_leading, "leading"},
        {&name_call, "call"},   {&name_operator, "operator"}, {&name_known, "known"}, {&name_self, "__self__"}, {&name_see, "see"},   {&name_failed, "failed"},
        {&name_store_outputs, "store_outputs"}, {&name_by_handler, "by_handler"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!*names[i].place && !(*names[i].place = PyUnicode_InternFromString(names[i].text)))
            return -1;
    if (!signals && !(signals = PyImport_ImportModule("inferscope._signals")))
        return -1;
    PyObject *class = PyType_FromSpec(&type);
    int failed = class ? PyModule_AddObjectRef(module, "Dispatch", class) : -1;
    drop(&class);
    return failed;
}
