package io.inferscope.analyzer.metrics;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.BoundVerdict;
import io.inferscope.analyzer.model.HostTables.CounterFigures;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.tables.Tables;
import java.util.List;
import java.util.Optional;

/**
 * The facts of an analysis: its tables are computed when they are first asked for.
 *
 * @param analysis the analysis
 * @param verdict what limits the program
 * @param trust what the trust gate checked
 */
public record AnalysisFacts(Analysis analysis, BoundVerdict verdict, List<TrustCheck> trust) implements FigureSource {
    @Override
    public Tables tables() {
        return Tables.of(analysis);
    }

    @Override
    public Ledger judgedLedger() {
        return analysis.ledger();
    }

    @Override
    public Optional<Ledger> ledger(LedgerPart part) {
        return analysis.ledger(part);
    }

    @Override
    public Optional<Ledger> threadLedger() {
        return analysis.threadLedger();
    }

    @Override
    public Optional<String> device() {
        return analysis.headline().map(DeviceActivity::id);
    }

    @Override
    public List<CounterFigures> counters(String name) {
        return tables().counters(name);
    }
}
