package io.inferscope.shapes;

import io.inferscope.shapes.log.ShapeBody.Call;
import io.inferscope.shapes.log.ShapeBody.Marker;
import io.inferscope.shapes.log.ShapeLogSink;
import io.inferscope.shapes.log.ShapeLogStats;
import io.inferscope.shapes.log.ShapeSummary;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The counts of one or more shape logs, per log and over all. Memory is bounded, whatever the size of the logs: calls
 * whose signatures are beyond the limit are counted by operator only, and the report says so.
 */
public final class ShapeCollection {
    /** Number of different markers; any further one is counted as the last of them. */
    static final int MAX_MARKERS = 32;

    private static final int MAX_SIGNATURES = 500_000;

    private final ShapeFilter filter;
    private final boolean quick;
    private final long maxEntries;
    private final Signatures signatures;
    private final List<SignatureFacts> facts = new ArrayList<>();
    private final Counts firstCalls = new Counts();
    private final Passes passes = new Passes();
    private final List<String> markers = new ArrayList<>();
    private final List<String> phases = new ArrayList<>(List.of(""));
    private final List<Counts> byPhase = new ArrayList<>(List.of(new Counts()));
    private final Counts total = new Counts();
    private final List<LogTally> logs = new ArrayList<>();

    /**
     * Creates a collection without logs.
     *
     * @param quick whether operators alone are counted, without their shapes
     * @param maxEntries the most calls to read of each log
     */
    public ShapeCollection(ShapeFilter filter, boolean quick, long maxEntries) {
        this(filter, quick, maxEntries, MAX_SIGNATURES);
    }

    ShapeCollection(ShapeFilter filter, boolean quick, long maxEntries, int maxSignatures) {
        this.filter = filter;
        this.quick = quick;
        this.maxEntries = maxEntries;
        this.signatures = new Signatures(maxSignatures);
    }

    /**
     * Begins a log; the one before must have been closed.
     *
     * @param listener called for each call that passed the filter; null for no listener
     */
    public ShapeLogSink open(String name, @Nullable CallListener listener) {
        LogTally log = new LogTally(this, logs.size(), name, listener);
        logs.add(log);
        return log;
    }

    /** Ends the log that was opened last. */
    public void close(ShapeLogStats stats, @Nullable ShapeSummary summary) {
        logs.get(logs.size() - 1).close(stats, summary);
    }

    /** Returns the number of a signature, {@link Signatures#FULL} when it is beyond the limit. */
    int signature(Call call, int log) {
        Call kept =
                quick ? new Call(call.operation(), List.of(), List.of(), call.errorType(), call.errorMessage()) : call;
        int before = signatures.size();
        int id = signatures.add(kept);
        if (id == before) {
            facts.add(SignatureFacts.of(kept, log));
        }
        return id;
    }

    int marker(Marker marker) {
        int known = markers.indexOf(marker.name());
        if (known >= 0 || markers.size() == MAX_MARKERS) {
            return known < 0 ? MAX_MARKERS - 1 : known;
        }
        markers.add(marker.name());
        String phase = marker.phase();
        if (phase != null && !phases.contains(phase)) {
            phases.add(phase);
            byPhase.add(new Counts());
        }
        return markers.size() - 1;
    }

    List<String> markers() {
        return markers;
    }

    /** Returns the phase after a marker; this is {@code before} when the marker begins or ends no phase. */
    int phaseAfter(int marker, int before) {
        String phase = new Marker(markers.get(marker), -1).phase();
        return phase == null ? before : phases.indexOf(phase);
    }

    void count(int signature, int phase, long callId, long count) {
        if (total.get(signature) == 0) {
            firstCalls.add(signature, callId);
        }
        total.add(signature, count);
        byPhase.get(phase).add(signature, count);
    }

    ShapeFilter filter() {
        return filter;
    }

    boolean isQuick() {
        return quick;
    }

    long maxEntries() {
        return maxEntries;
    }

    Signatures signatures() {
        return signatures;
    }

    int operationOf(int signature) {
        return signatures.operationOf(signature);
    }

    boolean isError(int signature) {
        return facts(signature).isError();
    }

    SignatureFacts facts(int signature) {
        return facts.get(signature);
    }

    /** Returns the number of the first call with a signature, -1 if it was not logged. */
    long firstCall(int signature) {
        return firstCalls.get(signature);
    }

    Passes passes() {
        return passes;
    }

    /** Returns the names of the phases; the first one is empty and means before any marker. */
    List<String> phases() {
        return phases;
    }

    long calls(int signature, int phase) {
        return byPhase.get(phase).get(signature);
    }

    /** Returns calls with a signature in all logs. */
    long calls(int signature) {
        return total.get(signature);
    }

    List<LogTally> logs() {
        return logs;
    }
}
