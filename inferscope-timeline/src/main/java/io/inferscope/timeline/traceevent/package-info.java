/** Reading documents of the Chrome Trace Event format, which several profilers write. */
@NullMarked
package io.inferscope.timeline.traceevent;

import org.jspecify.annotations.NullMarked;
