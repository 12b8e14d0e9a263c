/** What a user hands over, however it is packed, as files that importers open: folders, archives, compressed files, pipes. */
@NullMarked
package io.inferscope.formats.archive;

import org.jspecify.annotations.NullMarked;
