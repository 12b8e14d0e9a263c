/** The trust gate: whether the recorded events can carry a verdict at all. */
@NullMarked
package io.inferscope.analyzer.trust;

import org.jspecify.annotations.NullMarked;
