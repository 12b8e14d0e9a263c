/** Tying the clocks of sources to the timeline's axis. */
@NullMarked
package io.inferscope.timeline.clock;

import org.jspecify.annotations.NullMarked;
