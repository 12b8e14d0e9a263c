/** Shared by importers of several formats. */
@NullMarked
package io.inferscope.formats.common;

import org.jspecify.annotations.NullMarked;
