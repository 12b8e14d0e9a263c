/** A part of a recording as a recording of its own. */
@NullMarked
package io.inferscope.timeline.cut;

import org.jspecify.annotations.NullMarked;
