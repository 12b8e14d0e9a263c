/** Reading spools, docs/spool-format.md. */
@NullMarked
package io.inferscope.timeline.spool;

import org.jspecify.annotations.NullMarked;
