/** Kineto and Chrome Trace Event JSON: reading, and writing the merged trace. */
@NullMarked
package io.inferscope.timeline.kineto;

import org.jspecify.annotations.NullMarked;
