/** Writing a timeline in the formats of others. */
@NullMarked
package io.inferscope.formats.export;

import org.jspecify.annotations.NullMarked;
