/** The overview of a batch: its rows, what tracers found compared between models, and the tables written. */
@NullMarked
package io.inferscope.batch.summary;

import org.jspecify.annotations.NullMarked;
