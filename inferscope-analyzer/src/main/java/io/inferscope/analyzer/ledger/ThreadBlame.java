package io.inferscope.analyzer.ledger;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.blame.BlameAmounts.Amount;
import io.inferscope.analyzer.blame.BlameAmounts.Phase;
import io.inferscope.analyzer.blame.DividedTime;
import io.inferscope.analyzer.blame.PhaseStepCursor;
import io.inferscope.analyzer.blame.StepTime;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.PhaseKind;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.steps.Phases;
import io.inferscope.timeline.Timeline;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One host thread's time by cause: over the window, by phase and, on request, by step. */
public final class ThreadBlame {
    private final Timeline timeline;
    private final Stretch window;
    private final Phases phases;
    private final int track;
    private final DividedTime time;

    /**
     * Walks the window.
     *
     * @param track the thread, -1 for none, which has no time
     * @param steps receives the time of the steps; null if not wanted
     */
    public ThreadBlame(
            Timeline timeline,
            Stretch window,
            Threads threads,
            ActivityClassifier classifier,
            Phases phases,
            int track,
            @Nullable StepTime steps) {
        this.timeline = timeline;
        this.window = window;
        this.phases = phases;
        this.track = track;
        this.time = new DividedTime(
                classifier, steps == null ? PhaseStepCursor.byPhases(phases) : PhaseStepCursor.by(phases), steps);
        time.begin(window.startNs(), window.endNs());
        while (track >= 0 && time.next()) {
            threads.explain(track, time.partStartNs(), time.partEndNs(), time);
        }
        time.end();
    }

    /** Returns the ledger of the window. */
    public Ledger ledger() {
        return build(time.ledger(Phase.SPAN), LedgerPart.WINDOW, window);
    }

    public Ledger ledgerOfPhase(int number) {
        Phases.Phase phase = phases.phases().get(number);
        return build(time.ofPhase(number), phase.kind().part(), phase.stretch());
    }

    private Ledger build(Ledger.Builder spent, LedgerPart part, Stretch stretch) {
        return spent.build(Threads.label(timeline, track), part, stretch.durationNs());
    }

    /** Returns the amounts of the window. */
    public List<Amount> amounts() {
        return time.whole().all();
    }

    public List<Amount> amounts(PhaseKind phase) {
        return time.byPhase().all().stream()
                .filter(amount -> amount.during() == phase)
                .toList();
    }
}
