/** Reading documents of the Chrome Trace Event format, in which several profilers write. */
@NullMarked
package io.inferscope.timeline.traceevent;

import org.jspecify.annotations.NullMarked;
