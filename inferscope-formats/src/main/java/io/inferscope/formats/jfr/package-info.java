/** Flight recordings of a JVM; the only place that knows jdk.jfr. */
@NullMarked
package io.inferscope.formats.jfr;

import org.jspecify.annotations.NullMarked;
