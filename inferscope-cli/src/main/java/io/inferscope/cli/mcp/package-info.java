/** {@code inferscope mcp}: the questions that a coding agent asks, over the Model Context Protocol. */
@NullMarked
package io.inferscope.cli.mcp;

import org.jspecify.annotations.NullMarked;
