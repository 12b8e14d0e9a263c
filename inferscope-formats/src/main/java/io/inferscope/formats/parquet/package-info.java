/** A timeline as a folder of Parquet files. */
@NullMarked
package io.inferscope.formats.parquet;

import org.jspecify.annotations.NullMarked;
