package io.inferscope.analyzer.metrics;

import io.inferscope.analyzer.model.BoundVerdict;
import io.inferscope.analyzer.model.FigureTables;
import io.inferscope.analyzer.model.HostTables.CounterFigures;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report.TrustCheck;
import java.util.List;
import java.util.Optional;

/** The source of figures: an analysis whose report is not made yet, or a report. */
public interface FigureSource {
    FigureTables tables();

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
