/** Loading files: picks the importer for each, and merges several recordings. */
@NullMarked
package io.inferscope.timeline.load;

import org.jspecify.annotations.NullMarked;
