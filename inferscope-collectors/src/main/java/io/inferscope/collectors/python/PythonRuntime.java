package io.inferscope.collectors.python;

/**
 * A CPython runtime in a process.
 *
 * @param address of {@code _PyRuntime}
 * @param types addresses of types
 * @param layout where its fields lie
 * @param version such as {@code 3.11.7}, or {@code 3.10} where no more is known
 */
record PythonRuntime(long address, Types types, RuntimeLayout layout, String version) {
    /**
     * Addresses of types of the interpreter, 0 = not known.
     *
     * @param code {@code PyCode_Type}
     * @param type {@code PyType_Type}
     * @param builtin {@code PyCFunction_Type}
     * @param builtinMethod {@code PyCMethod_Type}
     * @param methodDescriptor {@code PyMethodDescr_Type}
     */
    record Types(long code, long type, long builtin, long builtinMethod, long methodDescriptor) {
        /** Returns whether called objects can be recognised by their types. */
        boolean areKnown() {
            return type != 0 && builtin != 0 && builtinMethod != 0 && methodDescriptor != 0;
        }
    }
}
