/** Shared by all formats: the renderers' interfaces, sentences, percentages, and escaping of text. */
@NullMarked
package io.inferscope.report.common;

import org.jspecify.annotations.NullMarked;
