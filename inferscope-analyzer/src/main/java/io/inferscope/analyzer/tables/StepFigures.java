package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.activity.Percentiles;
import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.blame.BlameAmounts.Amount;
import io.inferscope.analyzer.blame.IdleBlame;
import io.inferscope.analyzer.blame.StepTime;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.PhaseKind;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.StepTables;
import io.inferscope.analyzer.model.StepTables.GapFigures;
import io.inferscope.analyzer.model.StepTables.PhaseFigures;
import io.inferscope.analyzer.model.StepTables.StepCause;
import io.inferscope.analyzer.steps.Loop;
import io.inferscope.analyzer.steps.Phases;
import io.inferscope.analyzer.steps.Step;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Order;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The tables about phases and steps. */
final class StepFigures {
    private static final int MOST_SORTS = 12;
    private static final int MOST_CAUSES = 5;

    /** Causes with a smaller share of a step are not listed. */
    private static final double WORTH_A_LINE = 0.01;

    private static final LedgerClass[] CLASSES = LedgerClass.values();

    private final Analysis analysis;
    private final Loop loop;
    private final StepTime time;
    private final Optional<Intervals> busy;

    private StepFigures(Analysis analysis, Loop loop, StepTime time) {
        this.analysis = analysis;
        this.loop = loop;
        this.time = time;
        this.busy = analysis.headline().map(DeviceActivity::busy);
    }

    static List<PhaseFigures> phases(Analysis analysis) {
        Phases phases = analysis.phases();
        List<PhaseFigures> stretches = new ArrayList<>();
        for (int i = 0; i < phases.phases().size(); i++) {
            Phases.Phase phase = phases.phases().get(i);
            stretches.add(new PhaseFigures(
                    phase.kind(),
                    phase.stretch(),
                    phase.evidence(),
                    analysis.phaseLedgers().get(i)));
        }
        return stretches;
    }

    static List<StepTables.StepFigures> steps(Analysis analysis) {
        return analysis.phases()
                .loop()
                .map(loop -> new StepFigures(analysis, loop, analysis.stepTime()).sorts())
                .orElse(List.of());
    }

    static List<StepTables.OperatorIdle> operators(Analysis analysis) {
        return analysis.headline()
                .map(device -> analysis.blameOf(device).operators())
                .orElse(List.of());
    }

    static List<GapFigures> gaps(Analysis analysis) {
        return analysis.headline()
                .map(device -> analysis.blameOf(device).listedGaps().stream()
                        .map(gap -> new GapFigures(
                                new Stretch(gap.startNs(), gap.endNs()),
                                gap.phase(),
                                gap.cause(),
                                gap.thread(),
                                gap.activity(),
                                gap.where()))
                        .toList())
                .orElse(List.of());
    }

    /** One line per sort of steps in the steady state; without a steady state, of all steps. */
    private List<StepTables.StepFigures> sorts() {
        Map<Integer, List<Integer>> groups = new TreeMap<>();
        for (int i = 0; i < loop.steps().size(); i++) {
            PhaseKind phase = loop.steps().get(i).phase();
            if (phase == null || phase == PhaseKind.STEADY_STATE) {
                groups.computeIfAbsent(time.group(i), g -> new ArrayList<>()).add(i);
            }
        }
        Map<Integer, List<Amount>> places = new HashMap<>();
        time.places()
                .forEach(amount -> places.computeIfAbsent(amount.group(), g -> new ArrayList<>())
                        .add(amount));
        return List.copyOf(groups.entrySet()).stream() // Not of the map, whose stream makes a serializable lambda.
                .sorted(Order.<Map.Entry<Integer, List<Integer>>>comparingLong(e -> -lengthNs(e.getValue()))
                        .thenComparing(Order.comparingByKey()))
                .limit(MOST_SORTS)
                .map(e -> sort(e.getValue(), places.getOrDefault(e.getKey(), List.of())))
                .toList();
    }

    private long lengthNs(List<Integer> steps) {
        return steps.stream().mapToLong(i -> loop.steps().get(i).durationNs()).sum();
    }

    private StepTables.StepFigures sort(List<Integer> steps, List<Amount> places) {
        Percentiles lengths = new Percentiles();
        Percentiles busyNs = new Percentiles();
        Percentiles idleNs = new Percentiles();
        for (int i : steps) {
            Step step = loop.steps().get(i);
            lengths.add(step.durationNs());
            busy.ifPresent(intervals -> {
                long ns = intervals.totalWithinNs(step.startNs(), step.endNs());
                busyNs.add(ns);
                idleNs.add(step.durationNs() - ns);
            });
        }
        Step one = loop.steps().get(steps.get(0));
        PhaseKind phase = one.phase();
        return new StepTables.StepFigures(
                one.name(),
                one.kind(),
                loop.source().text(),
                phase == null ? "" : phase.id(),
                steps.size(),
                lengths.percentile(50),
                lengths.percentile(95),
                lengths.percentile(100),
                busyNs.percentileIfAny(50),
                idleNs.percentileIfAny(50),
                causes(steps, places));
    }

    private List<StepCause> causes(List<Integer> steps, List<Amount> places) {
        List<StepCause> causes = new ArrayList<>();
        for (LedgerClass cause : CLASSES) {
            Percentiles perStep = new Percentiles();
            long totalNs = 0;
            for (int i : steps) {
                perStep.add(time.ns(i, cause));
                totalNs += time.ns(i, cause);
            }
            if (totalNs > WORTH_A_LINE * lengthNs(steps)) {
                causes.add(cause(cause, perStep.percentile(50), totalNs, places));
            }
        }
        causes.sort(Order.comparingLong(StepCause::totalNs).reversed().thenComparing(StepCause::cause));
        return causes.subList(0, Math.min(MOST_CAUSES, causes.size()));
    }

    private StepCause cause(LedgerClass cause, long medianNs, long totalNs, List<Amount> places) {
        Map<Place, Long> sums = new TreeMap<>();
        boolean estimated = false;
        for (Amount amount : places) {
            if (amount.cause() == cause) {
                sums.merge(place(amount), amount.ns(), Long::sum);
                estimated |= amount.estimated();
            }
        }
        Map.Entry<Place, Long> most = Collections.min(sums.entrySet(), Order.largestFirst());
        Place place = most.getKey();
        return new StepCause(
                cause, medianNs, totalNs, place.thread, place.activity, place.where, most.getValue(), estimated);
    }

    private record Place(String where, String activity, String thread) implements Comparable<Place> {
        private static final Comparator<Place> ORDER =
                Order.comparing(Place::where).thenComparing(Place::activity).thenComparing(Place::thread);

        @Override
        public int compareTo(Place other) {
            return ORDER.compare(this, other);
        }
    }

    private Place place(Amount amount) {
        return new Place(
                analysis.classifier().place(amount.place()),
                IdleBlame.activity(analysis.timeline(), amount.activity()),
                amount.thread() < 0 ? "" : Threads.label(analysis.timeline(), amount.thread()));
    }
}
