/** How much work an operator is, by the shapes of its inputs, and how much a device could do in a second. Pure arithmetic: docs/roofline.md. */
@NullMarked
package io.inferscope.analyzer.work;

import org.jspecify.annotations.NullMarked;
