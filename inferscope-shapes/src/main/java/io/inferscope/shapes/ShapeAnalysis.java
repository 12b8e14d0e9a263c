package io.inferscope.shapes;

import io.inferscope.shapes.Passes.Pass;
import io.inferscope.shapes.ShapeReport.Difference;
import io.inferscope.shapes.ShapeReport.LogFigures;
import io.inferscope.shapes.ShapeReport.OperatorFigures;
import io.inferscope.shapes.ShapeReport.PassFigures;
import io.inferscope.shapes.ShapeReport.PhaseFigures;
import io.inferscope.shapes.ShapeReport.ReplayFigures;
import io.inferscope.shapes.ShapeReport.SignatureFigures;
import io.inferscope.shapes.ShapeReport.Totals;
import io.inferscope.shapes.log.ShapeSummary;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Makes a report of collected logs. */
public final class ShapeAnalysis {
    private final ShapeCollection all;
    private final ShapeSections sections;
    private final SignatureLists signatures;

    private ShapeAnalysis(ShapeCollection all, ShapeSections sections) {
        this.all = all;
        this.sections = sections;
        this.signatures = new SignatureLists(all);
    }

    /** Returns the report; every log must have been closed. */
    public static ShapeReport of(ShapeCollection all, String title, ShapeSections sections) {
        return new ShapeAnalysis(all, sections).report(title);
    }

    private ShapeReport report(String title) {
        List<OperatorFigures> operators = SignatureSums.operators(all);
        List<OperatorFigures> byCalls =
                first(operators, Comparator.comparingLong(o -> -o.totals().calls()));
        List<OperatorFigures> byShapes =
                first(operators, Comparator.comparingLong(o -> -o.totals().shapes()));
        boolean shapes = !all.isQuick();
        List<Difference> differences = all.logs().size() > 1 ? LogDifferences.of(all) : List.of();
        List<LogFigures> logs = all.logs().stream().map(this::figures).toList();
        List<Pass> passes = all.passes().inOrder();
        return new ShapeReport(
                title,
                all.isQuick(),
                logs,
                SignatureSums.calls(all, all::calls, all.logs()),
                shapes ? phases(passes) : List.of(),
                passes.stream().limit(sections.top()).map(this::figures).toList(),
                passes.size(),
                sections.operators() ? byCalls : List.of(),
                shapes ? shapes(byCalls) : List.of(),
                shapes && sections.largest() ? LargestTensors.of(all, sections.top()) : List.of(),
                shapes && sections.diversity() ? byShapes : List.of(),
                signatures.errors(sections.top()),
                first(differences),
                differences.size(),
                replays(),
                ReportWarnings.of(all, logs));
    }

    private List<ReplayFigures> replays() {
        Map<Integer, CallSums> captured = new TreeMap<>();
        Map<Integer, CallSums> replayed = new TreeMap<>();
        for (LogTally log : all.logs()) {
            Graphs graphs = log.graphs();
            if (graphs != null) {
                graphs.captured()
                        .forEach((operation, sums) -> of(captured, operation).add(sums, 1));
                graphs.replayed()
                        .forEach((operation, sums) -> of(replayed, operation).add(sums, 1));
            }
        }
        List<ReplayFigures> figures = new ArrayList<>();
        replayed.forEach((operation, sums) -> figures.add(new ReplayFigures(
                all.signatures().operationName(operation),
                of(captured, operation).calls(),
                sums.totals(1, 0))));
        figures.removeIf(replay -> replay.totals().calls() == 0);
        figures.sort(Comparator.comparingLong(
                        (ReplayFigures replay) -> -replay.totals().calls())
                .thenComparing(ReplayFigures::operation));
        return first(figures);
    }

    private static CallSums of(Map<Integer, CallSums> sums, int operation) {
        return sums.computeIfAbsent(operation, key -> new CallSums());
    }

    /** {@code operators} must be sorted by name: the sort is stable, so that the name decides between equals. */
    private List<OperatorFigures> first(List<OperatorFigures> operators, Comparator<OperatorFigures> order) {
        return first(operators.stream().sorted(order).toList());
    }

    private <T> List<T> first(List<T> lines) {
        return lines.stream().limit(sections.top()).toList();
    }

    private List<SignatureFigures> shapes(List<OperatorFigures> operators) {
        return signatures.of(operators.stream().map(OperatorFigures::name).toList(), sections.maxShapes());
    }

    private LogFigures figures(LogTally log) {
        Totals totals = SignatureSums.calls(all, log::calls, List.of(log));
        ShapeSummary summary = log.summary();
        Map<String, Long> markers = new TreeMap<>();
        for (int marker = 0; marker < all.markers().size(); marker++) {
            long count = log.markers(marker);
            if (count > 0) {
                markers.put(all.markers().get(marker), count);
            }
        }
        return new LogFigures(
                log.name(),
                summary == null ? -1 : summary.rank(),
                log.rowCount(),
                markers,
                log.leftOut(),
                log.lastPass(),
                totals,
                log.stats(),
                SummaryCheck.of(summary, log, all, totals.operators()));
    }

    private List<PhaseFigures> phases(List<Pass> passes) {
        List<PhaseFigures> phases = new ArrayList<>();
        for (int phase = 0; all.phases().size() > 1 && phase < all.phases().size(); phase++) {
            int number = phase;
            Totals totals = SignatureSums.calls(all, id -> all.calls(id, number), List.of());
            long count = passes.stream().filter(pass -> pass.phase() == number).count();
            if (totals.calls() > 0 || count > 0) {
                phases.add(new PhaseFigures(all.phases().get(phase), count, totals));
            }
        }
        return phases;
    }

    private PassFigures figures(Pass pass) {
        return new PassFigures(
                pass.number(), all.phases().get(pass.phase()), pass.sums().totals(0, 0));
    }
}
