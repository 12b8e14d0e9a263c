/** Commands that read recordings: analyze, diff and convert. */
@NullMarked
package io.inferscope.cli.analyze;

import org.jspecify.annotations.NullMarked;
