/** A timeline as plain tables, independent of their target: names, columns and rows. */
@NullMarked
package io.inferscope.formats.tables;

import org.jspecify.annotations.NullMarked;
