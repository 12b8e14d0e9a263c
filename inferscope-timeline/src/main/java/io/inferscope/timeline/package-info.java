/** Model, interval algebra, clock synchronisation, Kineto and spool importers. */
@NullMarked
package io.inferscope.timeline;

import org.jspecify.annotations.NullMarked;
