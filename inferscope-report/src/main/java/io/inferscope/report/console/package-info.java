/** Reports for a terminal, or as plain text in a file. */
@NullMarked
package io.inferscope.report.console;

import org.jspecify.annotations.NullMarked;
