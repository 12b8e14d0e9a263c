/** Pictures of a recording, as SVG: inside HTML pages, and as files beside Markdown. */
@NullMarked
package io.inferscope.report.plots;

import org.jspecify.annotations.NullMarked;
