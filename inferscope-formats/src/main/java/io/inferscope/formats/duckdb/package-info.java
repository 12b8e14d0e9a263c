/** Asking folders of Parquet files in DuckDB's SQL. DuckDB is no part of InferScope: the user names its driver. */
@NullMarked
package io.inferscope.formats.duckdb;

import org.jspecify.annotations.NullMarked;
