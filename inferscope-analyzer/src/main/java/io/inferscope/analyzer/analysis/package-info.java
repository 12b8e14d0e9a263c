/** The analyses: pure functions from a Timeline to figures. */
@NullMarked
package io.inferscope.analyzer.analysis;

import org.jspecify.annotations.NullMarked;
