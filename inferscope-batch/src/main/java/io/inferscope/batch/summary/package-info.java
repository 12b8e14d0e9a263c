/** The overview of a batch: its rows, the comparison of models, and its tables. */
@NullMarked
package io.inferscope.batch.summary;

import org.jspecify.annotations.NullMarked;
