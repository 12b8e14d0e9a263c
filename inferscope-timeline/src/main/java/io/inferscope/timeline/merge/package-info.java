/** Several recordings on one timeline: the offset between their clocks, and their rows on one axis. */
@NullMarked
package io.inferscope.timeline.merge;

import org.jspecify.annotations.NullMarked;
