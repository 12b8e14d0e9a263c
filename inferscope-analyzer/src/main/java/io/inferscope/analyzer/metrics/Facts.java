package io.inferscope.analyzer.metrics;

import io.inferscope.analyzer.model.BoundVerdict;
import io.inferscope.analyzer.model.HostTables.CounterFigures;
import io.inferscope.analyzer.model.HostTables.RequestFigures;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerPart;
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

/** What figures are read from: an analysis whose report is not written yet, or a report. */
public interface Facts {
    /** Returns what limits the program. */
    BoundVerdict verdict();

    /** Returns what the trust gate checked. */
    List<TrustCheck> trust();

    /** Returns the ledger that is judged. */
    Ledger judgedLedger();

    /** Returns another ledger of the judged subject by its part; empty when there is none. */
    Optional<Ledger> ledger(LedgerPart part);

    /** Returns the ledger of the host thread that is judged or launches most; empty when none is known. */
    Optional<Ledger> threadLedger();

    /** Returns the id of the device that the headline speaks of; empty without device work. */
    Optional<String> device();

    /** Returns one line per device at work. */
    List<DeviceFigures> devices();

    /** Returns one line per device on its launches. */
    List<LaunchFigures> launches();

    /** Returns one line per kernel name, longest first, cut to the longest. */
    List<KernelFigures> kernels();

    /** Returns one line per device, direction and kinds of memory. */
    List<CopyFigures> copies();

    /** Returns one line per host thread. */
    List<ThreadFigures> threads();

    /** Returns one line per sort of steps, those with most time first. */
    List<StepFigures> steps();

    /** Returns one line per kind of request, the most frequent first. */
    List<RequestFigures> requests();

    /** Returns where the time of requests went, and the time between their tokens: one line per kind. */
    List<RequestTime> requestTimes();

    /** Returns every series of a counter, by its name without labels. */
    List<CounterFigures> counters(String name);

    /** Returns what the trust gate found that leaves most figures without meaning; empty where nothing is. */
    default Optional<String> distrust() {
        return trust().stream()
                .filter(check -> !check.passed() && check.withholds())
                .map(TrustCheck::detail)
                .findFirst();
    }
}
