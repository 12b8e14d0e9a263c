package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.text.ShellText;
import java.util.Optional;
import java.util.Set;

/** Describes how the observed program ended. The recording of a program that failed or was killed is incomplete. */
public final class ProgramEnd {
    private static final String EXIT_CODE = "inferscope.exit_code";

    /** Signals by which users and supervisors end long-running programs. SIGPIPE: the reader closed the pipe. */
    private static final Set<Integer> ENDING = Set.of(1, 2, 9, 13, 15);

    /** A shell's exit code for a command ended by a signal is this plus the signal's number. */
    private static final int SHELL_SIGNAL = 128;

    private ProgramEnd() {}

    /** Returns whether the program ended by a failure of its own, not after a signal that asked it to end. */
    static boolean isFailure(Timeline timeline) {
        int code = exitCode(timeline);
        return endedBy(timeline).isEmpty() && isFailure(code);
    }

    private static boolean isFailure(int code) {
        return code < 0 ? !ENDING.contains(-code) : code > 0 && !ENDING.contains(code - SHELL_SIGNAL);
    }

    /** Returns whether the program came to its end and reported success. */
    public static boolean isSuccess(Timeline timeline) {
        return timeline.properties().getOrDefault(EXIT_CODE, "").equals("0");
    }

    /**
     * Returns whether hardly any thread works in the judged part, and the program did not end by itself: whether there
     * was anything to do is not recorded.
     */
    public static boolean mayHaveNothingToDo(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Stretch part = analysis.judgedHostStretch();
        return analysis.threadStatesRecorded()
                && (analysis.isAttached() || !endedBy(timeline).isEmpty() || exitCode(timeline) < 0)
                && analysis.classifier().idle().rests(analysis.subjectProcess(), part.startNs(), part.endNs());
    }

    /**
     * Returns a sentence on how the program ended; empty when it ended with exit code 0, or when that is not recorded.
     */
    public static Optional<String> sentence(Timeline timeline) {
        int code = exitCode(timeline);
        if (code == 0) {
            return Optional.empty();
        }
        String how = code > 0 ? "ended with exit code " + code : "was ended by signal " + signal(-code);
        String signal = endedBy(timeline);
        if (!signal.isEmpty() && isFailure(code)) {
            return Optional.of(
                    "The program was interrupted by %s%s; it then %s.".formatted(signal, after(timeline), how));
        }
        return Optional.of("The program " + how + after(timeline) + ".");
    }

    private static String endedBy(Timeline timeline) {
        return timeline.properties().getOrDefault(TimelineInfo.ENDED_BY, "");
    }

    private static int exitCode(Timeline timeline) {
        return (int) timeline.number(EXIT_CODE, 0);
    }

    private static String signal(int number) {
        String name = ShellText.signal(number);
        return name.isEmpty() ? Integer.toString(number) : number + " (" + name + ")";
    }

    /** The program is the process that started first: all others descend from it. */
    private static String after(Timeline timeline) {
        return timeline.rows()
                .filter(row -> timeline.kind(row) == RowKind.PROCESS)
                .boxed()
                .min(Order.comparingLong(timeline::startNs))
                .map(first -> " after " + Units.duration(timeline.durationNs(first)))
                .orElse("");
    }
}
