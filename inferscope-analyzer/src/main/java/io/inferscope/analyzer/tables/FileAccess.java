package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.knowledge.FramePatterns;
import io.inferscope.analyzer.knowledge.FramePatterns.FileCall;
import io.inferscope.analyzer.knowledge.FrameRole;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Frame;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Stacks;
import io.inferscope.timeline.Timeline;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How the judged thread reads files, by native samples: how much of the kernel's work is for files rather than for their
 * data, and how much of the thread's work is in functions that open a file at each call.
 *
 * <p>Reading a small file takes some 10 us, and a native sample is up to 0.3 ms older or newer than its Python stack. So
 * the kernel's samples are right in sum, but may be joined to another line of the same loop. Of Python's functions, the
 * Python stack alone tells how long they take.
 */
public final class FileAccess {
    private final Analysis analysis;
    private final Timeline timeline;
    private final Stacks stacks;
    private final Stretch part;
    private final int track;
    private final Map<String, Long> functionsNs = new HashMap<>();
    private final Map<String, Long> linesNs = new HashMap<>();
    private final long[] callsNs = new long[FileCall.values().length];
    private long samples;

    /** What a frame tells, and what a stack tells that ends in it. */
    private record Facts(@Nullable FileCall call, String function, boolean imports, boolean decodes) {
        static Facts of(Frame frame) {
            return new Facts(
                    FramePatterns.fileCall(frame),
                    FrameRole.READS_ONE_FILE.of(frame) ? FramePatterns.function(frame) : "",
                    FrameRole.IMPORTS.of(frame),
                    FramePatterns.isOfInputsOrModel(frame));
        }

        /** The outermost function counts, and the frame by which the kernel was entered. */
        Facts calledBy(Facts caller) {
            return new Facts(
                    caller.call == null ? call : caller.call,
                    caller.function.isEmpty() ? function : caller.function,
                    imports || caller.imports,
                    decodes);
        }
    }

    private FileAccess(Analysis analysis, Stretch part) {
        this.analysis = analysis;
        this.timeline = analysis.timeline();
        this.stacks = timeline.stacks();
        this.part = part;
        this.track = analysis.subjectThread();
        if (track < 0 || !analysis.has(RowKind.STACK_SAMPLE)) {
            return;
        }
        int[] rows = timeline.rows(track, RowKind.STACK_SAMPLE)
                .filter(row -> timeline.attribute(row, Attribute.STACK) >= 0)
                .filter(row -> HostFigures.isWithin(timeline, row, part))
                .toArray();
        @Nullable Facts[] facts = facts(rows);
        for (int row : rows) {
            int stack = (int) timeline.attribute(row, Attribute.STACK);
            add(row, stack, Objects.requireNonNull(facts[stack]));
        }
    }

    /** Returns, by stack, what those of the rows tell, and their callers; null for all others. */
    private @Nullable Facts[] facts(int[] rows) {
        BitSet wanted = new BitSet();
        for (int row : rows) {
            int at = (int) timeline.attribute(row, Attribute.STACK);
            for (; at >= 0 && !wanted.get(at); at = stacks.caller(at)) {
                wanted.set(at);
            }
        }
        Map<Integer, Facts> ofFrames = new HashMap<>();
        @Nullable Facts[] facts = new Facts[wanted.length()];
        for (int stack = wanted.nextSetBit(0); stack >= 0; stack = wanted.nextSetBit(stack + 1)) {
            Frame frame = stacks.frame(stack);
            int caller = stacks.caller(stack);
            Facts own = ofFrames.computeIfAbsent(stacks.frameNameId(stack), name -> Facts.of(frame));
            facts[stack] = caller < 0 ? own : own.calledBy(Objects.requireNonNull(facts[caller]));
        }
        return facts;
    }

    /** Returns how the judged thread reads files in a part of the recording. */
    public static FileAccess of(Analysis analysis, Stretch part) {
        return new FileAccess(analysis, part);
    }

    private void add(int row, int stack, Facts facts) {
        if (facts.imports || (facts.call == null && (facts.function.isEmpty() || facts.decodes))) {
            return;
        }
        long ns = HostFigures.workedNs(analysis, row, part);
        String line = analysis.classifier().ownLine(stack);
        if (facts.call != null) {
            callsNs[facts.call.ordinal()] += ns;
            samples++;
        }
        if (!facts.function.isEmpty()) {
            functionsNs.merge(facts.function + (line.isEmpty() ? "" : ", called at " + line), ns, Long::sum);
        } else {
            linesNs.merge(line.isEmpty() ? FramePatterns.function(stacks.frame(stack)) : line, ns, Long::sum);
        }
    }

    /** Returns the number of samples in the kernel's calls for files. */
    public long samples() {
        return samples;
    }

    /** Returns the kernel's time for opening files, in ns. */
    public long opensNs() {
        return callsNs[FileCall.OPENS.ordinal()];
    }

    /** Returns the kernel's time for opening, looking up and closing files, in ns. */
    public long perFileNs() {
        return opensNs() + callsNs[FileCall.OTHER_PER_FILE.ordinal()];
    }

    /** Returns the kernel's time for reading and writing, in ns. */
    public long dataNs() {
        return callsNs[FileCall.MOVES_DATA.ordinal()];
    }

    /** Returns the CPU time of functions that open a file at each call, and of the kernel's calls outside of them. */
    public long ns() {
        return sum(functionsNs) + sum(linesNs);
    }

    private static long sum(Map<String, Long> times) {
        return times.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the functions that open a file at each call, by their CPU time without decoders that they call. */
    public List<Map.Entry<String, Long>> functions() {
        return functionsNs.entrySet().stream().sorted(Order.largestFirst()).toList();
    }

    /** Returns the lines of the program near which other calls for files were seen, by the kernel's time. */
    public List<Map.Entry<String, Long>> lines() {
        return linesNs.entrySet().stream().sorted(Order.largestFirst()).toList();
    }
}
