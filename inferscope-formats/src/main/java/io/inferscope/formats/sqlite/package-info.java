/** SQLite databases: those that others wrote, read with care, and a timeline as one; the only place that knows the driver. */
@NullMarked
package io.inferscope.formats.sqlite;

import org.jspecify.annotations.NullMarked;
