/** SQLite exports of Nsight Systems. */
@NullMarked
package io.inferscope.formats.nsys;

import org.jspecify.annotations.NullMarked;
