/** Shared by importers of all formats: the interface, opening and inflating a file, finding its format. */
@NullMarked
package io.inferscope.timeline.importer;

import org.jspecify.annotations.NullMarked;
