package io.inferscope.analyzer.metrics;

import io.inferscope.analyzer.model.BoundVerdict;
import io.inferscope.analyzer.model.FigureTables;
import io.inferscope.analyzer.model.HostTables;
import io.inferscope.analyzer.model.HostTables.CounterFigures;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.analyzer.model.Report.TrustCheck;
import java.util.List;
import java.util.Optional;

/**
 * The facts of a report.
 *
 * @param report the report, whose tables may be cut and whose counters are those of {@link Report#host()} alone
 */
public record ReportFacts(Report report) implements FigureSource {
    @Override
    public FigureTables tables() {
        return report;
    }

    @Override
    public BoundVerdict verdict() {
        return report.verdict();
    }

    @Override
    public List<TrustCheck> trust() {
        return report.trust();
    }

    @Override
    public Ledger judgedLedger() {
        return report.ledgers().get(0);
    }

    @Override
    public Optional<Ledger> ledger(LedgerPart part) {
        return report.ledger(part);
    }

    @Override
    public Optional<Ledger> threadLedger() {
        return report.ledgers().stream()
                .filter(ledger -> ledger.part() == LedgerPart.WINDOW && isThread(ledger.subject()))
                .findFirst();
    }

    /**
     * Returns whether a ledger's subject is a thread. Other subjects are devices or, without any recorded activity, the
     * program.
     */
    private boolean isThread(String subject) {
        return !subject.equals(Report.PROGRAM_SUBJECT)
                && report.rows(Report.DEVICES).stream()
                        .noneMatch(device -> subject.equals(Report.DEVICE_SUBJECT + device.id()));
    }

    @Override
    public Optional<String> device() {
        return report.judgedDevice().map(DeviceFigures::id);
    }

    @Override
    public List<CounterFigures> counters(String name) {
        return report.rows(HostTables.MACHINE).stream()
                .filter(counter -> counter.plainName().equals(name))
                .toList();
    }
}
