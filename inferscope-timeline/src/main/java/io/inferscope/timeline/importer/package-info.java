/** Reading files of any known format into a Timeline. */
@NullMarked
package io.inferscope.timeline.importer;

import org.jspecify.annotations.NullMarked;
