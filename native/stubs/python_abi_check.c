/* Compiles only if every layout and value of native/shapes/python_abi.h is the same in an installed Python's header. */
#include <Python.h>

#include <structmember.h>

#include "../shapes/python_abi.h"

#define AT(ours, field, theirs, their_field) _Static_assert(offsetof(struct ours, field) == offsetof(theirs, their_field), #theirs "." #their_field)
#define AS_LONG(ours, theirs) _Static_assert(sizeof(struct ours) == sizeof(theirs), #theirs)
#define IS(value, theirs) _Static_assert((unsigned long)(value) == (unsigned long)(theirs), #theirs)

AT(object_head, type, PyObject, ob_type);
AS_LONG(object_head, PyObject);

AT(method, name, PyMethodDef, ml_name);
AT(method, function, PyMethodDef, ml_meth);
AT(method, flags, PyMethodDef, ml_flags);
AT(method, doc, PyMethodDef, ml_doc);
AS_LONG(method, PyMethodDef);

AT(member, name, PyMemberDef, name);
AT(member, type, PyMemberDef, type);
AT(member, offset, PyMemberDef, offset);
AT(member, flags, PyMemberDef, flags);
AT(member, doc, PyMemberDef, doc);
AS_LONG(member, PyMemberDef);

AT(accessor, name, PyGetSetDef, name);
AT(accessor, get, PyGetSetDef, get);
AT(accessor, set, PyGetSetDef, set);
AT(accessor, doc, PyGetSetDef, doc);
AT(accessor, closure, PyGetSetDef, closure);
AS_LONG(accessor, PyGetSetDef);

AT(slot, id, PyType_Slot, slot);
AT(slot, value, PyType_Slot, pfunc);
AS_LONG(slot, PyType_Slot);
AT(slot, id, PyModuleDef_Slot, slot);
AT(slot, value, PyModuleDef_Slot, value);
AS_LONG(slot, PyModuleDef_Slot);

AT(type_spec, name, PyType_Spec, name);
AT(type_spec, size_bytes, PyType_Spec, basicsize);
AT(type_spec, item_bytes, PyType_Spec, itemsize);
AT(type_spec, flags, PyType_Spec, flags);
AT(type_spec, slots, PyType_Spec, slots);
AS_LONG(type_spec, PyType_Spec);

AT(module, name, PyModuleDef, m_name);
AT(module, doc, PyModuleDef, m_doc);
AT(module, state_bytes, PyModuleDef, m_size);
AT(module, methods, PyModuleDef, m_methods);
AT(module, slots, PyModuleDef, m_slots);
AS_LONG(module, PyModuleDef);

AT(buffer, start, Py_buffer, buf);
AT(buffer, owner, Py_buffer, obj);
AT(buffer, length, Py_buffer, len);
AT(buffer, item_bytes, Py_buffer, itemsize);
AT(buffer, readonly, Py_buffer, readonly);
AT(buffer, dimensions, Py_buffer, ndim);
AT(buffer, format, Py_buffer, format);
AT(buffer, shape, Py_buffer, shape);
AT(buffer, strides, Py_buffer, strides);
AT(buffer, suboffsets, Py_buffer, suboffsets);
AT(buffer, internal, Py_buffer, internal);
AS_LONG(buffer, Py_buffer);

#if PY_VERSION_HEX < 0x030f0000 /* From 3.15 on, headers have new numbers, and interpreters know the old ones too. */
IS(MODULE_EXEC, Py_mod_exec);
#endif
IS(TYPE_CLEAR, Py_tp_clear);
IS(TYPE_DEALLOC, Py_tp_dealloc);
IS(TYPE_DOC, Py_tp_doc);
IS(TYPE_METHODS, Py_tp_methods);
IS(TYPE_TRAVERSE, Py_tp_traverse);
IS(TYPE_MEMBERS, Py_tp_members);
IS(TYPE_GETSET, Py_tp_getset);
IS(TYPE_FREE, Py_tp_free);
IS(METHOD_KEYWORDS, METH_KEYWORDS);
IS(METHOD_FASTCALL, METH_FASTCALL);
IS(MEMBER_OBJECT, T_OBJECT_EX);
IS(MEMBER_UINT64, T_ULONGLONG);
IS(FLAG_BASE, Py_TPFLAGS_BASETYPE);
IS(FLAG_GC, Py_TPFLAGS_HAVE_GC);
IS(BUFFER_WRITABLE, PyBUF_WRITABLE);
