/** Taking what is private out of a timeline. */
@NullMarked
package io.inferscope.timeline.redact;

import org.jspecify.annotations.NullMarked;
