/** Commands that record: run, attach and recover. */
@NullMarked
package io.inferscope.cli.run;

import org.jspecify.annotations.NullMarked;
