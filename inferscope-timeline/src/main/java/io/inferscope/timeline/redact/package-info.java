/** Removing private text from a timeline. */
@NullMarked
package io.inferscope.timeline.redact;

import org.jspecify.annotations.NullMarked;
