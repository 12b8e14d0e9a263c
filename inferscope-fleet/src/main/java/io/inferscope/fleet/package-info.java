/** Many recordings as rows of Parquet files, and what they say together: docs/fleet.md. */
@NullMarked
package io.inferscope.fleet;

import org.jspecify.annotations.NullMarked;
