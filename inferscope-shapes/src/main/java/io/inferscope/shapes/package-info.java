/** What shape logs say: operators, their shapes and work, phases, failures, differences. Pure: docs/shapes.md. */
@NullMarked
package io.inferscope.shapes;

import org.jspecify.annotations.NullMarked;
