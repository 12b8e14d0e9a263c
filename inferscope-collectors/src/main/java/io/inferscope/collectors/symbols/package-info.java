/** Which file and function an address in a process, or in the kernel, belongs to. */
@NullMarked
package io.inferscope.collectors.symbols;

import org.jspecify.annotations.NullMarked;
