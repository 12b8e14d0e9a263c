/** Reports as Markdown. */
@NullMarked
package io.inferscope.report.markdown;

import org.jspecify.annotations.NullMarked;
