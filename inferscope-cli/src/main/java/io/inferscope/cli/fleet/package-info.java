/** The fleet command: many recordings at once. */
@NullMarked
package io.inferscope.cli.fleet;

import org.jspecify.annotations.NullMarked;
