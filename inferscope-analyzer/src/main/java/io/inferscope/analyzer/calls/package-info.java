/**
 * Which calls of native code are so brief that calling costs more than what is called, by how often threads were seen in
 * each stack.
 */
@NullMarked
package io.inferscope.analyzer.calls;

import org.jspecify.annotations.NullMarked;
