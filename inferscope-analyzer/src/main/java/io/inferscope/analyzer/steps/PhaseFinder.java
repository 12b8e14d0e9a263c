package io.inferscope.analyzer.steps;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.Percentiles;
import io.inferscope.analyzer.knowledge.NamePredicate;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.PhaseKind;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.steps.Phases.Phase;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * Divides a window into phases by its steps. The time before the steady state is start-up; what the program did in it
 * decides the kind of each phase. Without a steady state there are no phases.
 */
public final class PhaseFinder {
    /** The least share of an interval that loading, or compiling, must fill to name the phase. */
    private static final double LOADS = 0.2;

    private static final double COMPILES = 0.5;

    /** The least share of a step that calls which load code must fill to make it one of warm-up. */
    private static final double STEP_LOADS = 0.05;

    private final Timeline timeline;
    private final ActivityClassifier classifier;
    private final Stretch window;
    private final Loop loop;

    /** How many steps at the beginning load code. */
    private final int loadingSteps;

    private final List<Phase> phases = new ArrayList<>();

    private PhaseFinder(Timeline timeline, ActivityClassifier classifier, Stretch window, Loop loop) {
        this.timeline = timeline;
        this.classifier = classifier;
        this.window = window;
        this.loop = loop;
        this.loadingSteps = isSampled() ? 0 : countLoadingSteps();
    }

    public static Phases find(
            Timeline timeline,
            ActivityClassifier classifier,
            Stretch window,
            Optional<Loop> loop,
            SteadyState.Limits limits) {
        return loop.map(found -> new PhaseFinder(timeline, classifier, window, found).phases(limits))
                .orElseGet(() -> new Phases(List.of(), Optional.empty(), ""));
    }

    private Phases phases(SteadyState.Limits limits) {
        List<Step> steps = loop.steps();
        SteadyState steady =
                isSampled() ? SteadyState.ofReturns(steps, limits) : new SteadyState(steps, limits, loadingSteps);
        if (steady.first() < 0) {
            return new Phases(List.of(), shown(loop), "No steady state: " + steady.why() + ".");
        }
        long steadyNs = clipped(steps.get(steady.first()).startNs());
        long endNs = clipped(steps.get(steps.size() - 1).endNs());
        if (steadyNs >= endNs) {
            return new Phases(List.of(), shown(loop), "No steady state: the steps have no length.");
        }
        beforeSteadyState(clipped(steps.get(0).startNs()), steadyNs, steady.first());
        String evidence = steadyEvidence(steady.first());
        add(PhaseKind.STEADY_STATE, steadyNs, endNs, evidence);
        add(PhaseKind.AFTER, endNs, window.endNs(), isSampled() ? "after the loop" : "after the last step");
        return new Phases(phases, shown(marked()), "Steady state: " + evidence + ".");
    }

    /**
     * Returns how many steps at the beginning load code, one after the other; 0 if steps of the second half load code too:
     * then it is no warm-up.
     */
    private int countLoadingSteps() {
        List<Step> steps = loop.steps();
        int leading = 0;
        int at = 0;
        long loadingNs = 0;
        long coveredNs = Long.MIN_VALUE;
        for (int row = timeline.firstRow(loop.track()); row < timeline.endRow(loop.track()); row++) {
            if (!timeline.kind(row).isApiCall() || timeline.startNs(row) < coveredNs || !loads(row)) {
                continue;
            }
            coveredNs = timeline.endNs(row);
            while (at < steps.size() && steps.get(at).endNs() <= timeline.startNs(row)) {
                at++;
                loadingNs = 0;
            }
            if (at == steps.size() || timeline.startNs(row) < steps.get(at).startNs()) {
                continue;
            }
            loadingNs += timeline.durationNs(row);
            if (loadingNs >= STEP_LOADS * steps.get(at).durationNs()) {
                if (at >= steps.size() / 2) {
                    return 0;
                }
                leading = at == leading ? at + 1 : leading;
            }
        }
        return leading;
    }

    private boolean isSampled() {
        return loop.source() == Loop.Source.SAMPLES;
    }

    /** Steps found by samples are not shown, because they do not count rounds. */
    private Optional<Loop> shown(Loop found) {
        return isSampled() ? Optional.empty() : Optional.of(found);
    }

    private long clipped(long timeNs) {
        return Math.max(window.startNs(), Math.min(timeNs, window.endNs()));
    }

    private void add(PhaseKind kind, long startNs, long endNs, String evidence) {
        if (startNs < endNs) {
            phases.add(new Phase(kind, new Stretch(startNs, endNs), evidence));
        }
    }

    private void beforeSteadyState(long firstStepNs, long steadyNs, int slowSteps) {
        NamePredicate compiles = new NamePredicate(timeline, StepNames::compiles);
        Work compiling = new Work(window.startNs(), steadyNs, compiles::testRow);
        boolean compiled = compiling.ns >= COMPILES * (compiling.endNs - compiling.startNs) && compiling.ns > 0;
        long compileNs = compiled ? compiling.startNs : firstStepNs;
        long loadedNs = Math.min(compileNs, firstStepNs);
        long loadingNs = new Work(window.startNs(), loadedNs, this::loads).ns;
        boolean loads = loadingNs >= LOADS * (loadedNs - window.startNs());
        add(
                loads ? PhaseKind.LOAD : PhaseKind.BEFORE,
                window.startNs(),
                loadedNs,
                (compiled && compileNs < firstStepNs
                                ? "before the first compilation"
                                : isSampled() ? "before the loop" : "before the first step")
                        + (loads ? "; loading takes " + Units.duration(loadingNs) + " of it" : ""));
        long warmNs = loadedNs;
        if (compiled) {
            warmUp(loadedNs, compileNs, slowSteps);
            add(
                    PhaseKind.COMPILE,
                    compileNs,
                    compiling.endNs,
                    "compiling and capturing take " + Units.duration(compiling.ns) + " of it");
            warmNs = compiling.endNs;
        }
        warmUp(warmNs, steadyNs, slowSteps);
    }

    private boolean loads(int row) {
        return classifier.classify(row) == LedgerClass.FRAMEWORK_COMPILE_LOAD;
    }

    private void warmUp(long startNs, long endNs, int slowSteps) {
        long least = Long.MAX_VALUE;
        long most = 0;
        for (Step step : loop.steps().subList(0, slowSteps)) {
            least = Math.min(least, step.durationNs());
            most = Math.max(most, step.durationNs());
        }
        add(
                PhaseKind.WARM_UP,
                startNs,
                endNs,
                slowSteps == 0
                        ? "between compiling and the first step"
                        : isSampled()
                                ? "before the time between returns to a line settles"
                                : slowSteps
                                        + (slowSteps == 1 ? " step" : " steps")
                                        + (slowSteps == loadingSteps
                                                ? " that load code, of "
                                                : " before lengths settle, of ")
                                        + Units.duration(least)
                                        + (slowSteps == 1 ? "" : " to " + Units.duration(most)));
    }

    private String steadyEvidence(int first) {
        List<Step> steps = loop.steps();
        if (isSampled()) {
            return steps.get(0).name() + ", " + loop.source().text() + "; single rounds were not recorded";
        }
        Percentiles lengths = new Percentiles();
        steps.subList(first, steps.size()).forEach(step -> lengths.add(step.durationNs()));
        return "steps " + (first + 1) + " to " + steps.size() + ", known by "
                + loop.source().text() + "; half of them take up to " + Units.duration(lengths.percentile(50))
                + ", 19 of 20 up to " + Units.duration(lengths.percentile(95));
    }

    private Loop marked() {
        List<Step> steps = new ArrayList<>(loop.steps().size());
        int at = 0;
        for (Step step : loop.steps()) {
            while (at + 1 < phases.size() && phases.get(at).stretch().endNs() <= step.startNs()) {
                at++;
            }
            steps.add(step.in(phases.get(at).kind()));
        }
        return new Loop(loop.source(), loop.track(), steps);
    }

    private boolean tells(RowKind kind) {
        return kind.isHostActivity() || (isSampled() && kind == RowKind.STACK_SAMPLE);
    }

    /** The outermost rows of some kind on the loop's thread in an interval: total time, first start, last end. */
    private final class Work {
        private long ns;
        private long startNs;
        private long endNs;

        Work(long fromNs, long toNs, IntPredicate wanted) {
            startNs = toNs;
            endNs = toNs;
            long coveredNs = fromNs;
            for (int row = timeline.firstRow(loop.track()); row < timeline.endRow(loop.track()); row++) {
                if (timeline.startNs(row) >= toNs) {
                    break;
                }
                if (timeline.endNs(row) > coveredNs && tells(timeline.kind(row)) && wanted.test(row)) {
                    long begin = Math.max(timeline.startNs(row), coveredNs);
                    coveredNs = Math.min(timeline.endNs(row), toNs);
                    startNs = ns == 0 ? begin : startNs;
                    endNs = coveredNs;
                    ns += coveredNs - begin;
                }
            }
        }
    }
}
