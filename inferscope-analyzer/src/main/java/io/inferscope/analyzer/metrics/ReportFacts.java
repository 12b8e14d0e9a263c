package io.inferscope.analyzer.metrics;

import io.inferscope.analyzer.model.BoundVerdict;
import io.inferscope.analyzer.model.HostTables.CounterFigures;
import io.inferscope.analyzer.model.HostTables.RequestFigures;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.CopyFigures;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.analyzer.model.Report.KernelFigures;
import io.inferscope.analyzer.model.Report.LaunchFigures;
import io.inferscope.analyzer.model.Report.ThreadFigures;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.RequestTables.RequestTime;
import io.inferscope.analyzer.model.StepTables.StepFigures;
import java.util.List;
import java.util.Optional;

/**
 * The facts of a report.
 *
 * @param report the report, whose tables may be cut and whose counters are those of {@link Report#host()} alone
 */
public record ReportFacts(Report report) implements Facts {
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
        return !subject.equals("program")
                && report.devices().stream().noneMatch(device -> subject.equals(Report.DEVICE_SUBJECT + device.id()));
    }

    @Override
    public Optional<String> device() {
        return report.judgedDevice().map(DeviceFigures::id);
    }

    @Override
    public List<DeviceFigures> devices() {
        return report.devices();
    }

    @Override
    public List<LaunchFigures> launches() {
        return report.launches();
    }

    @Override
    public List<KernelFigures> kernels() {
        return report.kernels();
    }

    @Override
    public List<CopyFigures> copies() {
        return report.copies();
    }

    @Override
    public List<ThreadFigures> threads() {
        return report.threads();
    }

    @Override
    public List<StepFigures> steps() {
        return report.steps().steps();
    }

    @Override
    public List<RequestFigures> requests() {
        return report.host().requests();
    }

    @Override
    public List<RequestTime> requestTimes() {
        return report.steps().requests();
    }

    @Override
    public List<CounterFigures> counters(String name) {
        return report.host().machine().stream()
                .filter(counter -> counter.plainName().equals(name))
                .toList();
    }
}
