/** Writing spools, docs/spool-format.md: the append-only files in which recorders keep what they see. */
@NullMarked
package io.inferscope.scope.spool;

import org.jspecify.annotations.NullMarked;
