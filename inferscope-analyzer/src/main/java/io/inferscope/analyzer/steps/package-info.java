/** What recurs: loops, their steps, the steady state, and the phases of a window. */
@NullMarked
package io.inferscope.analyzer.steps;

import org.jspecify.annotations.NullMarked;
