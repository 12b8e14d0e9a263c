/** The critical path of a timeline, and what the window would take without a cause. */
@NullMarked
package io.inferscope.analyzer.path;

import org.jspecify.annotations.NullMarked;
