package io.inferscope.analyzer;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Report;

/** A report with its analysis. The HTML page's timeline needs both. */
public record Explained(Analysis analysis, Report report) {
    /** Returns the same analysis with another report. */
    public Explained with(Report other) {
        return new Explained(analysis, other);
    }
}
