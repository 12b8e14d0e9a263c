/** What commands share: options, settings, log, failures, the files they read and write. */
@NullMarked
package io.inferscope.cli.common;

import org.jspecify.annotations.NullMarked;
