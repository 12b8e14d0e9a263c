/** Inputs of any form (folders, archives, compressed files, pipes) as files that importers can open. */
@NullMarked
package io.inferscope.formats.archive;

import org.jspecify.annotations.NullMarked;
