/** What importers of every format share: the interface, opening and inflating a file, telling its format. */
@NullMarked
package io.inferscope.timeline.importer;

import org.jspecify.annotations.NullMarked;
