/** Renderers: console, Markdown, HTML, JSON. */
@NullMarked
package io.inferscope.report;

import org.jspecify.annotations.NullMarked;
