/** Commands, launcher and distribution. */
@NullMarked
package io.inferscope.cli;

import org.jspecify.annotations.NullMarked;
