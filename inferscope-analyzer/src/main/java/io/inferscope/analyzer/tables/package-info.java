/** The tables of a report, computed from an {@link io.inferscope.analyzer.analysis.Analysis} when first asked for. */
@NullMarked
package io.inferscope.analyzer.tables;

import org.jspecify.annotations.NullMarked;
