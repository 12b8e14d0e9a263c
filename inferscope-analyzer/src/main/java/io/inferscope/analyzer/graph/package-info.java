/**
 * The dependency graph of a timeline: what must be over before what begins, and how long the whole takes when that
 * changes.
 */
@org.jspecify.annotations.NullMarked
package io.inferscope.analyzer.graph;
