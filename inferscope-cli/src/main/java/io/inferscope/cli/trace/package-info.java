/** The trace command, which runs batches, and its worker. */
@NullMarked
package io.inferscope.cli.trace;

import org.jspecify.annotations.NullMarked;
