/** What all formats share: the renderers' interfaces, sentences, shares of a whole, and text made harmless. */
@NullMarked
package io.inferscope.report.common;

import org.jspecify.annotations.NullMarked;
