/**
 * What host threads and devices did at every instant: classes of rows, states, samples, waits; knows no steps and no
 * causes.
 */
@NullMarked
package io.inferscope.analyzer.activity;

import org.jspecify.annotations.NullMarked;
