package io.inferscope.analyzer;

import io.inferscope.analyzer.model.Report;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.fixture.TimelineCopy;
import io.inferscope.timeline.importer.ImportException;
import java.lang.ref.SoftReference;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What the analysis says of real traces, worked out once for all tests, as far as memory allows. */
public final class RealTraces {
    private static final Map<Path, SoftReference<Report>> REPORTS = new ConcurrentHashMap<>();
    private static final Map<Path, SoftReference<Copied>> COPIES = new ConcurrentHashMap<>();

    private RealTraces() {}

    /** A copy of a trace's timeline, as {@link TimelineCopy} makes it, and its report: what other copies are compared with. */
    public record Copied(Timeline timeline, Report report) {}

    /** Returns the report on a trace, with its name as title. */
    public static Report report(Path trace) throws ImportException {
        SoftReference<Report> kept = REPORTS.get(trace);
        Report report = kept == null ? null : kept.get();
        if (report == null) {
            report = new Analyzer().analyze(SharedTraces.timeline(trace), name(trace));
            REPORTS.put(trace, new SoftReference<>(report));
        }
        return report;
    }

    /** Returns the report on the trace of a name. */
    public static Report report(String name) throws ImportException {
        return report(SharedTraces.kineto(name));
    }

    /** Returns a trace's name: its file's without the ending. */
    public static String name(Path trace) {
        return trace.getFileName().toString().replace(".json.gz", "");
    }

    /** Returns the copy. */
    public static Copied copied(Path trace) throws ImportException {
        SoftReference<Copied> kept = COPIES.get(trace);
        Copied copied = kept == null ? null : kept.get();
        if (copied == null) {
            Timeline timeline = TimelineCopy.inOrder(SharedTraces.timeline(trace));
            copied = new Copied(timeline, new Analyzer().analyze(timeline, name(trace)));
            COPIES.put(trace, new SoftReference<>(copied));
        }
        return copied;
    }
}
