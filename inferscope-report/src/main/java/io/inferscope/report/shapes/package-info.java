/** Reports about shape logs, and their comparisons, in every format. */
@NullMarked
package io.inferscope.report.shapes;

import org.jspecify.annotations.NullMarked;
