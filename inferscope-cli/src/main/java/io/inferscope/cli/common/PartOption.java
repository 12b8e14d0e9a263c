package io.inferscope.cli.common;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.PhaseKind;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.steps.RecordingSlowdown;
import io.inferscope.analyzer.steps.Step;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.DeviceWindows;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.cut.TimelineCut;
import io.inferscope.timeline.importer.ImportException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.TypeConversionException;

/**
 * {@code --scope NAME}, {@code --judge slowest-step}: explain one part of a recording instead of all of it. If device work
 * was recorded in windows, one window is explained unless another part is requested.
 */
public final class PartOption extends Options {
    private static final String START_UP = "start-up";
    private static final String SLOWEST = "slowest-step";
    private static final String WINDOW = "gpu-window-";

    private final OptionSpec scope = option(
            "--scope=NAME",
            String.class,
            "Explain only the time from the first start to the last end of the scope NAME, such as a steady loop.");

    private final OptionSpec judge = add(CommandSpecs.builder(
                    "--judge=PART",
                    String.class,
                    "Explain only one part. start-up: the time before the steady state, for slow starts; slowest-step: the step that took longest beyond the median of its kind; gpu-window-N: the N-th window of `run --gpu-window`.")
            .converters(PartOption::known)
            .build());

    public PartOption(CommandSpec spec) {
        super(spec);
    }

    public boolean isSet() {
        return scope.getValue() != null || judge.getValue() != null;
    }

    /**
     * Returns the part of a recording to explain.
     *
     * @param title name of the recording for messages
     * @throws ImportException when it has no such part
     */
    public Timeline of(Timeline timeline, String title) throws ImportException {
        String name = scope.getValue();
        String word = judge.getValue();
        if (word != null && word.startsWith(WINDOW)) {
            return window(name == null ? timeline : cut(timeline, name, title), word, title);
        }
        Timeline part = name == null ? recorded(timeline) : cut(timeline, name, title);
        return word == null ? part : word.equals(SLOWEST) ? slowestStep(part, title) : startUp(part, title);
    }

    /** Returns the part in which device work was recorded; of several windows, the last whole one. */
    private static Timeline recorded(Timeline timeline) {
        Intervals windows = windows(timeline);
        if (windows.isEmpty()) {
            return timeline;
        }
        int judged = DeviceWindows.toJudge(timeline, windows);
        return window(timeline, windows, judged);
    }

    private static Timeline window(Timeline timeline, String word, String title) throws ImportException {
        Intervals windows = windows(timeline);
        int number = Integer.parseInt(word.substring(WINDOW.length()));
        if (number > windows.count()) {
            throw new ImportException(
                    title,
                    "has no " + word,
                    windows.isEmpty()
                            ? "record with `inferscope run --gpu-window 5s/60s`"
                            : "it has gpu-window-1 to " + WINDOW + windows.count());
        }
        return window(timeline, windows, number - 1);
    }

    /** Returns a window, with what recording cost the program: that shows only beside the time without recording. */
    private static Timeline window(Timeline timeline, Intervals windows, int number) {
        Timeline part = part(timeline, windows.startNs(number), windows.endNs(number));
        return windows.count() < RecordingSlowdown.FEWEST_PAIRS
                ? part
                : RecordingSlowdown.of(timeline, windows, number)
                        .map(slowdown -> slowdown.markedIn(part))
                        .orElse(part);
    }

    /** Returns a part, with the length of the whole recording: what recording cost is known of that only. */
    private static Timeline part(Timeline timeline, long fromNs, long toNs) {
        Timeline part = TimelineCut.of(timeline, fromNs, toNs);
        Intervals whole = DeviceWindows.within(timeline, Intervals.of(Long.MIN_VALUE, Long.MAX_VALUE));
        return part.properties().containsKey(TimelineInfo.PART_OF_NS)
                ? part
                : part.with(TimelineInfo.PART_OF_NS, Long.toString(whole.totalNs()));
    }

    private static Intervals windows(Timeline timeline) {
        return DeviceWindows.of(timeline)
                .map(windows -> DeviceWindows.within(timeline, windows))
                .orElse(Intervals.EMPTY);
    }

    /** Refuses unknown words while the command line is parsed, before anything is recorded. */
    private static String known(String word) {
        if (!word.equals(START_UP) && !word.equals(SLOWEST) && !word.matches(WINDOW + "[1-9]\\d{0,5}")) {
            throw new TypeConversionException(
                    "expected " + START_UP + ", " + SLOWEST + " or " + WINDOW + "N, not \"" + word + "\"");
        }
        return word;
    }

    /** Returns the step that took longest beyond the median of its kind: of the steady state, or of all without one. */
    private Timeline slowestStep(Timeline timeline, String title) throws ImportException {
        List<Step> all = Analysis.of(timeline, Thresholds.defaults()).steps();
        List<Step> steady = all.stream()
                .filter(step -> step.phase() == PhaseKind.STEADY_STATE)
                .toList();
        Map<String, List<Step>> kinds =
                (steady.isEmpty() ? all : steady).stream().collect(Collectors.groupingBy(Step::label));
        Step slowest = null;
        long mostNs = -1;
        for (List<Step> kind : kinds.values()) {
            kind.sort(Comparator.comparingLong(Step::durationNs));
            Step last = kind.get(kind.size() - 1);
            long moreNs = last.durationNs() - median(kind);
            if (moreNs > mostNs) {
                slowest = last;
                mostNs = moreNs;
            }
        }
        if (slowest == null) {
            throw new ImportException(
                    title,
                    "has no steps",
                    "mark them in the program: with inferscope.scope(\"step\"), or record more of it");
        }
        if (spec.commandLine() != null) {
            Log.line(
                    err(),
                    "inferscope: explaining step " + (all.indexOf(slowest) + 1) + " of " + all.size() + ", "
                            + slowest.label() + ": " + Units.duration(slowest.durationNs())
                            + "; the median of its kind is "
                            + Units.duration(slowest.durationNs() - mostNs));
        }
        return part(timeline, slowest.startNs(), slowest.endNs());
    }

    /** The nearest-rank median of sorted steps, in ns. */
    private static long median(List<Step> sorted) {
        return sorted.get((sorted.size() - 1) / 2).durationNs();
    }

    private static Timeline startUp(Timeline timeline, String title) throws ImportException {
        Analysis analysis = Analysis.of(timeline, Thresholds.defaults());
        boolean beforeRequests = analysis.service()
                .map(service -> service.stretch().startNs() > analysis.window().startNs())
                .orElse(false);
        if (!beforeRequests && analysis.ledger(LedgerPart.START_UP).isEmpty()) {
            throw new ImportException(
                    title,
                    "has no start-up: neither a steady state nor requests were found after it",
                    "leave out --judge");
        }
        return part(
                timeline,
                analysis.window().startNs(),
                analysis.judged().stretch().startNs());
    }

    private static Timeline cut(Timeline timeline, String name, String title) throws ImportException {
        long fromNs = Long.MAX_VALUE;
        long toNs = Long.MIN_VALUE;
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (timeline.kind(row) == RowKind.ANNOTATION
                    && timeline.name(row).equals(name)
                    && !timeline.isCaptured(row)) {
                fromNs = Math.min(fromNs, timeline.startNs(row));
                toNs = Math.max(toNs, timeline.endNs(row));
            }
        }
        if (toNs <= fromNs) {
            throw new ImportException(title, "has no scope \"" + name + "\"", scopesOf(timeline));
        }
        return part(timeline, fromNs, toNs);
    }

    private static String scopesOf(Timeline timeline) {
        String names = timeline.rows()
                .filter(row -> timeline.kind(row) == RowKind.ANNOTATION)
                .filter(row -> timeline.attribute(row, Attribute.USER_SCOPE) == 1 && !timeline.isCaptured(row))
                .mapToObj(timeline::name)
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        return names.isEmpty()
                ? "leave out --scope, or open one in the program: with inferscope.scope(\"steady\")"
                : "its own scopes are " + names;
    }
}
