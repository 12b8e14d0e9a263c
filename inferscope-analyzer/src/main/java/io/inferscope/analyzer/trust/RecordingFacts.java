package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.activity.Lazy;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;

/** The facts of a recording that the checks of the trust gate read. */
final class RecordingFacts {
    private final Analysis analysis;
    private final Lazy<QueueAtEnds> queueAtEnds = new Lazy<>(() -> new QueueAtEnds(this));
    private final Lazy<StreamOverlaps> overlaps =
            new Lazy<>(() -> new StreamOverlaps(timeline(), threshold(StreamsDoNotOverlap.DEPENDENT_NS)));

    /** Returns them. They are collected once. */
    static RecordingFacts of(Analysis analysis) {
        return analysis.once(RecordingFacts.class, RecordingFacts::new);
    }

    private RecordingFacts(Analysis analysis) {
        this.analysis = analysis;
    }

    Analysis analysis() {
        return analysis;
    }

    Timeline timeline() {
        return analysis.timeline();
    }

    ImportStats stats() {
        return timeline().importStats();
    }

    double threshold(Threshold threshold) {
        return analysis.threshold(threshold);
    }

    boolean hasDevices() {
        return !analysis.devices().isEmpty();
    }

    /** Returns whether an API call led to device work. */
    boolean isAnswered(int call) {
        return analysis.missingOperations().isAnswered(call);
    }

    /** Returns the operations and launches that the ends of the recording cut off. */
    QueueAtEnds queueAtEnds() {
        return queueAtEnds.get();
    }

    /** Returns the time that operations of one stream share. */
    StreamOverlaps overlaps() {
        return overlaps.get();
    }

    /** Returns the length of the window in ns, at least 1. */
    long windowNs() {
        return Math.max(1, analysis.window().durationNs());
    }

    /** Returns a time as a ratio of the window. */
    double shareOfWindow(long ns) {
        return (double) ns / windowNs();
    }

    /** Returns when rows of a kind were, within the window. */
    Intervals within(RowKind kind) {
        Intervals times = timeline().times(Arrays.stream(analysis.rows(kind)));
        return times.clip(analysis.window().startNs(), analysis.window().endNs());
    }

    /** Returns how to record again with the recorder that wrote the recording. */
    RecordingRemedy recorder() {
        return RecordingRemedy.of(analysis);
    }
}
