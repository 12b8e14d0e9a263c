/**
 * The result of an analysis as plain values: the input of every renderer. Times are ns on the timeline's axis, shares
 * are ratios 0..1.
 */
@NullMarked
package io.inferscope.analyzer.model;

import org.jspecify.annotations.NullMarked;
