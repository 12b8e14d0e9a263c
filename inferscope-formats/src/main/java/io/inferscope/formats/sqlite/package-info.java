/** SQLite databases that others wrote, read with care; the only place that knows the driver. */
@NullMarked
package io.inferscope.formats.sqlite;

import org.jspecify.annotations.NullMarked;
