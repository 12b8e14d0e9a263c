/** What importers of several formats share. */
@NullMarked
package io.inferscope.formats.common;

import org.jspecify.annotations.NullMarked;
