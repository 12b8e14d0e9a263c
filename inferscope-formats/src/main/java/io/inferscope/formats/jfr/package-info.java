/** Flight recordings of a JVM; the only package that uses jdk.jfr. */
@NullMarked
package io.inferscope.formats.jfr;

import org.jspecify.annotations.NullMarked;
