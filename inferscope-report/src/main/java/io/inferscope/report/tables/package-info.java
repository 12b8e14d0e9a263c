/** The tables of a report and of a comparison, as cells of text, which each format for people lays out. */
@NullMarked
package io.inferscope.report.tables;

import org.jspecify.annotations.NullMarked;
