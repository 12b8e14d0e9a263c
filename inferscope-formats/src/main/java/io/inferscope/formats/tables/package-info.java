/** A timeline as plain tables: their names, columns and rows, whatever they are written to. */
@NullMarked
package io.inferscope.formats.tables;

import org.jspecify.annotations.NullMarked;
