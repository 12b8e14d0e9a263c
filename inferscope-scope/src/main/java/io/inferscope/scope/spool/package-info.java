/** Writing spools, docs/spool-format.md: the append-only files into which recorders write their events. */
@NullMarked
package io.inferscope.scope.spool;

import org.jspecify.annotations.NullMarked;
