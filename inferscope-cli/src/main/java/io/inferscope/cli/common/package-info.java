/** Shared by commands: options, settings, log, failures, input and output files. */
@NullMarked
package io.inferscope.cli.common;

import org.jspecify.annotations.NullMarked;
