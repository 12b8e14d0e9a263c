package io.inferscope.analyzer;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Report;

/** A report with its analysis. The HTML page's timeline needs both. */
public record AnalyzedReport(Analysis analysis, Report report) {
    /** Returns the same analysis with another report. */
    public AnalyzedReport with(Report other) {
        return new AnalyzedReport(analysis, other);
    }
}
