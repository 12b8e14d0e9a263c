package io.inferscope.analyzer.metrics;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.BoundVerdict;

/** What figures are read from: the analysis, and the verdict on it. */
public record Facts(Analysis analysis, BoundVerdict verdict) {}
