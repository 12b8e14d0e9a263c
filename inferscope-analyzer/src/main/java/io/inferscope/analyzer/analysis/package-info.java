/** One analysis of one timeline: verdict's part, ledgers, what launching cost, the critical path and what-if. Pure functions of a Timeline. */
@NullMarked
package io.inferscope.analyzer.analysis;

import org.jspecify.annotations.NullMarked;
