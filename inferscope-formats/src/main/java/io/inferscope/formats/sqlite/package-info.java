/** SQLite databases: reading foreign ones safely, and writing timelines; the only package that uses the driver. */
@NullMarked
package io.inferscope.formats.sqlite;

import org.jspecify.annotations.NullMarked;
