/** Python stacks, seen from outside: CPython 3.9 to 3.15, read from the memory of a process that keeps running. */
@NullMarked
package io.inferscope.collectors.python;

import org.jspecify.annotations.NullMarked;
