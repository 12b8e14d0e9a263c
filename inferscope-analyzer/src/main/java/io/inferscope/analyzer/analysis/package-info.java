/**
 * One analysis of one timeline, and what is measured on it: counters, utilisation, CPU demand, waits. Pure functions of
 * a Timeline.
 */
@NullMarked
package io.inferscope.analyzer.analysis;

import org.jspecify.annotations.NullMarked;
