/** Reading logs of tensor shapes: one JSON object a line for each operator. Layouts: docs/shapes.md. */
@NullMarked
package io.inferscope.shapes.log;

import org.jspecify.annotations.NullMarked;
