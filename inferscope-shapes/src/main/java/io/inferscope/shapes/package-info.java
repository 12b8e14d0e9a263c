/**
 * Analysis of shape logs: operators, their shapes and work, phases, failures, differences (docs/shapes.md). It reads no
 * clock and writes no files.
 */
@NullMarked
package io.inferscope.shapes;

import org.jspecify.annotations.NullMarked;
