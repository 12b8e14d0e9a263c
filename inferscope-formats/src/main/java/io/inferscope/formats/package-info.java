/** Importers and exporters that need heavy libraries. */
@NullMarked
package io.inferscope.formats;

import org.jspecify.annotations.NullMarked;
