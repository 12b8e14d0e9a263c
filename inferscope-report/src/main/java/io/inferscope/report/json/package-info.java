/** Reports as JSON, and the reader of such files. */
@NullMarked
package io.inferscope.report.json;

import org.jspecify.annotations.NullMarked;
