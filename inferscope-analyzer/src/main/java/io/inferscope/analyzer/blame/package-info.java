/** Who had the time in which a device was idle, and in which place. */
@NullMarked
package io.inferscope.analyzer.blame;

import org.jspecify.annotations.NullMarked;
