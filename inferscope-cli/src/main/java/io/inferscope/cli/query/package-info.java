/** The query command. */
@NullMarked
package io.inferscope.cli.query;

import org.jspecify.annotations.NullMarked;
