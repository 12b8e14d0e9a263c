/** What shape logs say: operators, their shapes and work, phases, failures, differences. Pure: docs/shapes.md. */
@NullMarked
package io.inferscope.analyzer.shapes;

import org.jspecify.annotations.NullMarked;
