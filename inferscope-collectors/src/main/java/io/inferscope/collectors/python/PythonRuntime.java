package io.inferscope.collectors.python;

/**
 * A CPython runtime in a process.
 *
 * @param address of {@code _PyRuntime}
 * @param codeType address of {@code PyCode_Type}, 0 = not known
 * @param layout where its fields lie
 * @param version such as {@code 3.11.7}, or {@code 3.10} where no more is known
 */
record PythonRuntime(long address, long codeType, RuntimeLayout layout, String version) {}
