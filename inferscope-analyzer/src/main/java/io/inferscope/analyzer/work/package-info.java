/**
 * The work of operators, by the shapes of their inputs, and the peak rates of devices. Pure arithmetic:
 * docs/roofline.md.
 */
@NullMarked
package io.inferscope.analyzer.work;

import org.jspecify.annotations.NullMarked;
