/** Reports as one HTML file without a script. */
@NullMarked
package io.inferscope.report.html;

import org.jspecify.annotations.NullMarked;
