package io.inferscope.report.scene;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.steps.Phases;
import io.inferscope.analyzer.steps.Step;
import io.inferscope.report.scene.Lanes.Kind;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import java.util.BitSet;
import java.util.List;

/** Puts the rows of a timeline into lanes: a row is above the rows that it encloses. */
final class RowLanes {
    /** The classes of events: those of the ledger and one for ranges that are no work of their own. */
    static final int CLASSES = LedgerClass.values().length + 1;

    private static final int RANGE = CLASSES - 1;

    /** Lanes of a track that are open at first. */
    private static final int OPEN = 16;

    private static final int OTHERS_OPEN = 2;
    private static final List<LedgerClass> BUSY = List.of(
            LedgerClass.GPU_COMPUTE,
            LedgerClass.GPU_COMMUNICATION,
            LedgerClass.COPY_H2D,
            LedgerClass.COPY_D2H,
            LedgerClass.COPY_OTHER);

    private final Analysis analysis;
    private final Timeline timeline;
    private final Texts texts;
    private final Detail detail;
    private final long zeroNs;

    /** The communication kernels, and the calls that launched anything. */
    private final BitSet communication = new BitSet();

    private final BitSet launches = new BitSet();

    RowLanes(Analysis analysis, Texts texts, Detail detail) {
        this.analysis = analysis;
        this.timeline = analysis.timeline();
        this.texts = texts;
        this.detail = detail;
        this.zeroNs = analysis.window().startNs();
        for (DeviceActivity device : analysis.devices()) {
            device.rows().filter(device::isCommunication).forEach(communication::set);
            device.launches().forEach(launches::set);
        }
    }

    Lanes steps() {
        Lanes track = new Lanes(Kind.STEPS, "phases and steps", "", 2);
        for (Phases.Phase phase : analysis.phases().phases()) {
            track.lane(0)
                    .add(
                            phase.stretch().startNs() - zeroNs,
                            phase.stretch().endNs() - zeroNs,
                            texts.of(phase.kind().id()),
                            RANGE,
                            0);
        }
        int depth = track.isEmpty() ? 0 : 1;
        long lastNs = Long.MIN_VALUE;
        for (Step step : analysis.steps()) {
            if (step.startNs() >= lastNs) {
                track.lane(depth).add(step.startNs() - zeroNs, step.endNs() - zeroNs, texts.of(step.label()), RANGE, 0);
                lastNs = step.endNs();
            }
        }
        return track;
    }

    /** Returns when a device was busy, by class. */
    Lanes device(DeviceActivity device, String label) {
        Lanes track = new Lanes(Kind.DEVICE, label, label, 1);
        Intervals[] busy = BUSY.stream().map(device::exposed).toArray(Intervals[]::new);
        int[] next = new int[busy.length];
        while (true) {
            int first = -1;
            for (int i = 0; i < busy.length; i++) {
                if (next[i] < busy[i].count()
                        && (first < 0 || busy[i].startNs(next[i]) < busy[first].startNs(next[first]))) {
                    first = i;
                }
            }
            if (first < 0) {
                return track;
            }
            LedgerClass ledgerClass = BUSY.get(first);
            detail.put(
                    track.lane(0),
                    busy[first].startNs(next[first]),
                    busy[first].endNs(next[first]),
                    texts.of(ledgerClass.label()),
                    ledgerClass.ordinal(),
                    0);
            next[first]++;
        }
    }

    Lanes stream(Track stream) {
        String device = timeline.tracks().get(stream.parent()).key();
        boolean numbered = stream.name().equals(stream.key());
        return rows(
                stream,
                new Lanes(Kind.STREAM, numbered ? "stream " + stream.key() : stream.name(), "device " + device, OPEN));
    }

    Lanes requests(Track lane) {
        return rows(lane, new Lanes(Kind.REQUESTS, lane.name(), process(lane), OPEN));
    }

    Lanes thread(Track thread, String label) {
        int open = thread.id() == analysis.subjectThread() ? OPEN : OTHERS_OPEN;
        return rows(thread, new Lanes(Kind.THREAD, label, process(thread), open));
    }

    private String process(Track track) {
        return track.parent() < 0 ? "" : timeline.tracks().get(track.parent()).name();
    }

    private Lanes rows(Track of, Lanes track) {
        int first = timeline.firstRow(of.id());
        int[] depths = new int[timeline.endRow(of.id()) - first];
        for (int row = first; row < timeline.endRow(of.id()); row++) {
            int parent = timeline.parent(row);
            int outer = parent < 0 ? -1 : depths[parent - first];
            RowKind kind = timeline.kind(row);
            if (!isDrawn(kind)) {
                depths[row - first] = outer;
                continue;
            }
            long startNs = timeline.startNs(row);
            long endNs = startNs + timeline.durationNs(row);
            int depth = track.free(outer + 1, startNs);
            depths[row - first] = depth;
            if (depth == Lanes.MOST) {
                track.skip();
                continue;
            }
            track.occupy(depth, endNs);
            detail.put(
                    track.lane(depth),
                    startNs,
                    endNs,
                    texts.ofName(timeline.nameId(row)),
                    ledgerClass(row, kind),
                    link(row, kind));
        }
        return track;
    }

    static boolean isDrawn(RowKind kind) {
        return kind == RowKind.REQUEST
                || kind.isHostActivity()
                || kind.isDeviceOperation()
                || kind == RowKind.DEVICE_ANNOTATION
                || kind == RowKind.DEVICE_SYNC
                || kind == RowKind.PROFILER_OVERHEAD
                || kind == RowKind.OTHER;
    }

    private int ledgerClass(int row, RowKind kind) {
        return switch (kind) {
            case KERNEL -> (communication.get(row) ? LedgerClass.GPU_COMMUNICATION : LedgerClass.GPU_COMPUTE).ordinal();
            case MEMCPY_H2D -> LedgerClass.COPY_H2D.ordinal();
            case MEMCPY_D2H -> LedgerClass.COPY_D2H.ordinal();
            case MEMCPY_D2D, MEMCPY_P2P, MEMCPY_OTHER, MEMSET -> LedgerClass.COPY_OTHER.ordinal();
            case DEVICE_SYNC -> LedgerClass.GPU_DEPENDENCY.ordinal();
            case PROFILER_OVERHEAD -> LedgerClass.PROFILER.ordinal();
            case REQUEST, DEVICE_ANNOTATION, OTHER -> RANGE;
            default -> analysis.classify(row).ordinal();
        };
    }

    private long link(int row, RowKind kind) {
        if (kind.isDeviceOperation()) {
            return timeline.links().launchOf(row) + 1L;
        }
        return launches.get(row) ? row + 1L : 0;
    }

    /**
     * Returns what stack samples saw of a thread: samples of one place and class that follow each other are one event.
     */
    Lanes samples(Track thread, String label) {
        Lanes track = new Lanes(Kind.SAMPLES, label + ", sampled", process(thread), 1);
        Run run = new Run();
        for (int row = timeline.firstRow(thread.id()); row < timeline.endRow(thread.id()); row++) {
            if (timeline.kind(row) == RowKind.STACK_SAMPLE) {
                String where = analysis.where(row);
                run.take(
                        track.lane(0),
                        Math.max(timeline.startNs(row), run.endNs),
                        timeline.endNs(row),
                        where.isEmpty() ? texts.ofName(timeline.nameId(row)) : texts.of(where),
                        analysis.classify(row).ordinal());
            }
        }
        run.end(track.lane(0));
        return track;
    }

    /** Equal events that touch, made one. */
    private final class Run {
        private long startNs;
        private long endNs = Long.MIN_VALUE;
        private int name = -1;
        private int ledgerClass;

        void take(Lane lane, long fromNs, long toNs, int newName, int newClass) {
            if (toNs <= fromNs) {
                return;
            }
            if (fromNs != endNs || newName != name || newClass != ledgerClass) {
                end(lane);
                startNs = fromNs;
                name = newName;
                ledgerClass = newClass;
            }
            endNs = toNs;
        }

        void end(Lane lane) {
            if (name >= 0) {
                detail.put(lane, startNs, endNs, name, ledgerClass, 0);
            }
            name = -1;
        }
    }
}
