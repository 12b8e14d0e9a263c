/** The analysis of many recordings as a job of Apache Spark: docs/fleet.md. */
@NullMarked
package io.inferscope.spark;

import org.jspecify.annotations.NullMarked;
