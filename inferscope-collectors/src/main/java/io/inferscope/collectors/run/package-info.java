/** {@code inferscope run}: starting a command, observing it, and bringing it to its end. */
@NullMarked
package io.inferscope.collectors.run;

import org.jspecify.annotations.NullMarked;
