/** The shapes commands. */
@NullMarked
package io.inferscope.cli.shapes;

import org.jspecify.annotations.NullMarked;
