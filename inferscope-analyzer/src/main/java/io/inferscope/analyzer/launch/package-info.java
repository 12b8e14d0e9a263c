/** What launching device work cost, call by call, and the graphs that devices replayed. */
@NullMarked
package io.inferscope.analyzer.launch;

import org.jspecify.annotations.NullMarked;
