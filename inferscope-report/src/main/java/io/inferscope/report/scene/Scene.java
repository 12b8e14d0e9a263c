package io.inferscope.report.scene;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.files.LeveledGzip;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A recording as the page's script draws it: tracks of lanes, times by call stack, and the parts that are held in full.
 * The numbers are {@link Varints}, in the order in which {@code timeline.js} reads them; times are ns from the window's
 * start.
 */
public final class Scene {
    /** The script refuses other versions. */
    static final int VERSION = 2;

    /**
     * What a page may hold.
     *
     * @param events a page with more would not open at once everywhere
     * @param bytes of the compressed scene; base64 adds a third
     */
    public record Limits(long events, int bytes) {
        /** The page stays below 8 MB. */
        public static final Limits USUAL = new Limits(1_000_000, 5_600_000);
    }

    /** Shares of the space for events, tried in this order because events differ in size. */
    private static final double[] PARTS_OF_ROOM = {0.95, 0.7, 0.4};

    /** Bytes from which the time to compress them counts. */
    private static final int MUCH = 2_000_000;

    /** Lanes of one track. */
    public static final int MOST_LANES = Lanes.MOST;

    private static final int MOST_TRACKS = 300;

    private final byte[] compressed;
    private final Map<String, Integer> trackNumbers;
    private final Map<String, Landing> landings;
    private final long events;
    private final long leftOut;
    private final long tooDeep;
    private final int tracksLeftOut;
    private final ShownPart part;

    private Scene(
            byte[] compressed,
            Map<String, Integer> trackNumbers,
            Map<String, Landing> landings,
            long events,
            long leftOut,
            long tooDeep,
            int tracksLeftOut,
            ShownPart part) {
        this.part = part;
        this.compressed = compressed;
        this.trackNumbers = trackNumbers;
        this.landings = landings;
        this.events = events;
        this.leftOut = leftOut;
        this.tooDeep = tooDeep;
        this.tracksLeftOut = tracksLeftOut;
    }

    /** Makes the scene of an analysis. If all of it would be too large, parts are left out and counted. */
    public static Scene of(Analysis analysis, Report report, Limits limits) {
        return of(analysis, report, limits, Optional.empty());
    }

    /**
     * Makes the scene with every event of {@code first}, as far as that fits. Its tracks and lanes are the same
     * whatever is left out.
     */
    public static Scene of(Analysis analysis, Report report, Limits limits, Optional<Stretch> first) {
        long most = Math.min(limits.events(), Detail.rows(analysis.timeline()));
        Landings places = new Landings(analysis, report);
        Scene scene = draw(analysis, report, places, most, first);
        if (scene.compressed.length <= limits.bytes()) {
            return scene;
        }
        Scene least = draw(analysis, report, places, 0, first);
        long fixed = least.compressed.length;
        double perEvent = Math.max(1e-3, (double) (scene.compressed.length - fixed) / Math.max(1, most));
        for (double part : PARTS_OF_ROOM) {
            long room = (long) (part * Math.max(0, limits.bytes() - fixed) / perEvent);
            scene = draw(analysis, report, places, Math.min(most, room), first);
            if (scene.compressed.length <= limits.bytes()) {
                return scene;
            }
        }
        return least;
    }

    private static Scene draw(Analysis analysis, Report report, Landings places, long most, Optional<Stretch> first) {
        return new Drawing(analysis, report, places, new Detail(analysis, report, places, most, first)).scene();
    }

    /** Returns the numbers, gzipped. */
    public byte[] compressed() {
        return compressed.clone();
    }

    /** Returns the number of the track with a label from evidence, -1 for none. */
    public int track(String label) {
        return trackNumbers.getOrDefault(label, -1);
    }

    /**
     * Returns the position of a place that evidence names without a time: a line of code, an operator, a kernel, a
     * thread.
     */
    public Optional<Landing> landing(String place) {
        return Optional.ofNullable(landings.get(place));
    }

    /** A stretch of a track, in ns of the timeline. */
    public record Landing(long startNs, long endNs, int track) {}

    /** Returns how many events the page holds in full. */
    public long events() {
        return events;
    }

    /** Returns how many events are held only as sums of their lanes. */
    public long leftOut() {
        return leftOut;
    }

    /** Returns how many events are not drawn because their tracks have no lane left. */
    public long tooDeep() {
        return tooDeep;
    }

    /** Returns the judged part whose time is shown by call stack; empty if the window is shown in its place. */
    public Optional<LedgerPart> judgedPart() {
        return part.judged() ? Optional.of(part.part()) : Optional.empty();
    }

    /** Returns how many threads and streams are not drawn. */
    public int tracksLeftOut() {
        return tracksLeftOut;
    }

    private static final class Drawing {
        private final Analysis analysis;
        private final Report report;
        private final Timeline timeline;
        private final Landings places;
        private final Detail detail;
        private final Texts texts;
        private final List<Lanes> tracks = new ArrayList<>();
        private final Map<String, Integer> numbers = new HashMap<>();

        /**
         * By track of the timeline: the number of the drawn track that shows its rows, and its samples; -1 for none.
         */
        private final int[] ofRows;

        private final int[] ofSamples;
        private final List<Track> sorted;
        private final List<Track> threads;
        private final ShownPart part;
        private int tracksLeftOut;

        Drawing(Analysis analysis, Report report, Landings places, Detail detail) {
            this.analysis = analysis;
            this.report = report;
            this.timeline = analysis.timeline();
            this.places = places;
            this.detail = detail;
            this.ofRows = new int[timeline.tracks().size()];
            this.ofSamples = new int[timeline.tracks().size()];
            Arrays.fill(ofRows, -1);
            Arrays.fill(ofSamples, -1);
            this.texts = new Texts(timeline);
            this.sorted = sorted();
            this.threads = atMost(sorted);
            this.part = analysis.once(ShownPart.class, ShownPart::of);
        }

        Scene scene() {
            RowLanes rows = new RowLanes(analysis, texts, detail);
            add(rows.steps());
            Causes causes = new Causes(analysis, texts, detail, part);
            for (DeviceActivity device : analysis.devices()) {
                String label = Report.DEVICE_SUBJECT + device.id();
                add(label, rows.device(device, label));
                add(label, causes.of(device, label));
            }
            tracks(TrackKind.STREAM).forEach(stream -> ofRows[stream.id()] = add(rows.stream(stream)));
            tracks(TrackKind.REQUEST).forEach(lane -> ofRows[lane.id()] = add(rows.requests(lane)));
            for (Track thread : threads) {
                String label = Threads.label(timeline, thread.id());
                ofRows[thread.id()] = add(label, rows.thread(thread, label));
                ofSamples[thread.id()] = add(label, rows.samples(thread, label));
            }
            Varints body = new Varints();
            body.add(tracks.size());
            tracks.forEach(track -> track.writeTo(body, texts));
            trees(causes, body);
            return new Scene(
                    compress(body),
                    numbers,
                    landings(),
                    tracks.stream().mapToLong(Lanes::count).sum(),
                    tracks.stream().mapToLong(Lanes::leftOut).sum(),
                    tracks.stream().mapToLong(Lanes::tooDeep).sum(),
                    tracksLeftOut,
                    part);
        }

        /** Adds a track that evidence names by its label. */
        private int add(String label, Lanes track) {
            int number = add(track);
            if (number >= 0) {
                numbers.putIfAbsent(label, number);
            }
            return number;
        }

        /** Adds a track and returns its number, -1 for one that is empty. */
        private int add(Lanes track) {
            if (track.isEmpty()) {
                return -1;
            }
            tracks.add(track);
            return tracks.size() - 1;
        }

        private Map<String, Landing> landings() {
            Map<String, Landing> landings = new HashMap<>();
            numbers.forEach((label, number) -> landings.put(
                    label,
                    new Landing(analysis.window().startNs(), analysis.window().endNs(), number)));
            places.rows().forEach((place, row) -> {
                int track = (timeline.kind(row) == RowKind.STACK_SAMPLE ? ofSamples : ofRows)[timeline.track(row)];
                landings.put(place, new Landing(timeline.startNs(row), timeline.endNs(row), track));
            });
            return landings;
        }

        private List<Track> tracks(TrackKind kind) {
            List<Track> found = timeline.tracks().stream()
                    .filter(track -> track.kind() == kind)
                    .toList();
            return atMost(found);
        }

        private List<Track> atMost(List<Track> found) {
            tracksLeftOut += Math.max(0, found.size() - MOST_TRACKS);
            return found.size() > MOST_TRACKS ? found.subList(0, MOST_TRACKS) : found;
        }

        /** The judged thread first, then those with most rows. */
        private List<Track> sorted() {
            List<Track> threads = new ArrayList<>(timeline.tracks().stream()
                    .filter(track -> track.kind() == TrackKind.THREAD
                            && timeline.endRow(track.id()) > timeline.firstRow(track.id()))
                    .toList());
            threads.sort(Order.comparing((Track track) -> track.id() != analysis.subjectThread())
                    .thenComparing(track -> timeline.firstRow(track.id()) - timeline.endRow(track.id()))
                    .thenComparing(Track::id));
            return threads;
        }

        private void trees(Causes causes, Varints body) {
            List<Stacked> trees = new ArrayList<>(causes.trees());
            Set<Track> known = new HashSet<>(analysis.threads().all());
            trees.addAll(part.trees(sorted.stream().filter(known::contains).toList(), texts));
            trees.removeIf(Stacked::isEmpty);
            body.add(trees.size());
            trees.forEach(tree -> tree.writeTo(body));
        }

        private byte[] compress(Varints body) {
            Varints head =
                    new Varints().add(VERSION).add(Math.max(1, report.window().durationNs()));
            Varints classes = new Varints().add(RowLanes.CLASSES);
            for (LedgerClass ledgerClass : LedgerClass.values()) {
                classes.add(texts.of(ledgerClass.label()))
                        .add(texts.of(ledgerClass.id().replace('.', '-')));
            }
            classes.add(texts.of("named range")).add(texts.of("span"));
            texts.writeTo(head);
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            // Level 3 takes two thirds of the default level's time, for output that is 3 % larger.
            try (OutputStream out = new LeveledGzip(bytes, 1 << 16, body.size() > MUCH ? 3 : 6)) {
                head.addAll(classes).writeTo(out);
                body.writeTo(out);
            } catch (IOException e) {
                throw new UncheckedIOException("writing to memory", e);
            }
            return bytes.toByteArray();
        }
    }
}
