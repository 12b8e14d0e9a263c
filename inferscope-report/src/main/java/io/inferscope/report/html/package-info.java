/** Reports as one HTML file that loads nothing. */
@NullMarked
package io.inferscope.report.html;

import org.jspecify.annotations.NullMarked;
