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

/** The source of figures: an analysis whose report is not made yet, or a report. */
public interface Facts {
    BoundVerdict verdict();

    /** Returns the results of the trust gate's checks. */
    List<TrustCheck> trust();

    Ledger judgedLedger();

    /** Returns another ledger of the judged subject by its part; empty when there is none. */
    Optional<Ledger> ledger(LedgerPart part);

    /** Returns the ledger of the judged or most launching host thread; empty if none is known. */
    Optional<Ledger> threadLedger();

    /** Returns the id of the headline's device; empty without device work. */
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

    /** Returns one line per kind of steps, most time first. */
    List<StepFigures> steps();

    /** Returns one line per kind of request, the most frequent first. */
    List<RequestFigures> requests();

    /** Returns the time of requests by part and the time between tokens, one line per kind of request. */
    List<RequestTime> requestTimes();

    /** Returns every series of a counter, by its name without labels. */
    List<CounterFigures> counters(String name);

    /** Returns the finding of the trust gate that makes most figures meaningless; empty for none. */
    default Optional<String> distrust() {
        return trust().stream()
                .filter(check -> !check.passed() && check.withholds())
                .map(TrustCheck::detail)
                .findFirst();
    }
}
