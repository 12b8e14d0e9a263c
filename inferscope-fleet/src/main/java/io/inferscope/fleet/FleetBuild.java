package io.inferscope.fleet;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Report;
import io.inferscope.fleet.FleetInputs.Recording;
import io.inferscope.formats.Formats;
import io.inferscope.formats.archive.InputFiles;
import io.inferscope.formats.parquet.ParquetTables;
import io.inferscope.formats.tables.OutputColumn;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.files.FileProblem;
import io.inferscope.timeline.files.ProcessLock;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.load.Importers.Input;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Analyses many recordings and keeps their rows in sets. What a kill interrupts is at most the analysis of a set; what
 * is in a set is not analysed again by the same version. One process writes to a folder at a time.
 */
public final class FleetBuild implements AutoCloseable {
    /** Recordings per set: fewer make many small files, more cost more when killed. */
    private static final int SET = 64;

    /** A set is written after this time even if it is not full. */
    private static final long SET_NS = 20_000_000_000L;

    /** Heap that an analysis takes: per byte of its recording, inflated; and at least. */
    private static final double HEAP_PER_BYTE = 0.35;

    private static final long LEAST_HEAP = 32L << 20;
    private static final int UNIT = 1 << 20;

    /**
     * How to build.
     *
     * @param toolVersion the version that the rows name; what another version made is made again
     * @param jobs how many recordings are analysed at the same time
     * @param again whether what is done is done again
     * @param retry whether recordings that failed are tried again
     */
    public record Options(String toolVersion, int jobs, boolean again, boolean retry) {}

    /** Counts of one build. */
    public static final class Counts {
        private final AtomicInteger analysed = new AtomicInteger();
        private final AtomicInteger failed = new AtomicInteger();
        private final AtomicInteger known = new AtomicInteger();

        /** Returns how many recordings got rows, those that failed included. */
        public int analysed() {
            return analysed.get();
        }

        /** Returns how many of them could not be read or explained. */
        public int failed() {
            return failed.get();
        }

        /** Returns how many had rows already, or have the bytes of another one. */
        public int known() {
            return known.get();
        }

        public int done() {
            return analysed.get() + known.get();
        }
    }

    private final SummarySets sets;
    private final Options options;
    private final Analyzer analyzer;
    private final ProcessLock lock;
    private final Semaphore heap = new Semaphore((int) (Runtime.getRuntime().maxMemory() / UNIT), true);
    private final int heapUnits = heap.availablePermits();

    /** Ids of recordings whose rows are current. */
    private final Set<String> current = ConcurrentHashMap.newKeySet();

    /** The sets of recordings whose rows another version made, by id. */
    private final Map<String, Path> outdated = new ConcurrentHashMap<>();

    /** Files that were looked at before, with size and time of change. */
    private final Map<Path, String> seen = new ConcurrentHashMap<>();

    private final List<RecordingRows> unwritten = new ArrayList<>();
    private long oldestNs;

    /**
     * Prepares a build.
     *
     * @param folder the folder of sets, which is made
     * @throws IOException if another process builds there, or a set cannot be read
     */
    public FleetBuild(Path folder, Options options, Analyzer analyzer) throws IOException {
        this.sets = new SummarySets(folder);
        this.options = options;
        this.analyzer = analyzer;
        this.lock = ProcessLock.tryTake(folder.resolve(".lock"))
                .orElseThrow(() -> new FileSystemException(
                        folder.toString(), null, "another fleet build writes to it; wait for its end"));
        sets.repair();
        List<OutputColumn> columns = FleetTable.TRACE.columns("trace_id tool_version trust");
        for (Path set : sets.sets()) {
            ParquetTables.read(set, FleetTable.TRACE.id(), columns, row -> {
                boolean stale = options.again()
                        || !options.toolVersion().equals(row.get(1))
                        || (options.retry() && RecordingRows.FAILED.equals(row.get(2)));
                String id = String.valueOf(row.get(0));
                if (stale) {
                    outdated.put(id, set);
                } else {
                    current.add(id);
                }
            });
        }
    }

    /**
     * Analyses recordings, those that are done excepted.
     *
     * @param counts is counted up while it works
     * @param progress called after each recording, by any thread
     * @throws IOException if rows cannot be written; those written before stay
     */
    public void run(List<Recording> recordings, Counts counts, Runnable progress) throws IOException {
        AtomicInteger next = new AtomicInteger();
        List<Throwable> ends = new ArrayList<>();
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < options.jobs(); i++) {
            Thread worker = new Thread(
                    () -> {
                        try {
                            for (int n = next.getAndIncrement(); n < recordings.size(); n = next.getAndIncrement()) {
                                take(recordings.get(n), counts);
                                progress.run();
                            }
                        } catch (IOException | InterruptedException | RuntimeException | Error e) {
                            next.set(recordings.size()); // The others end, too.
                            synchronized (ends) {
                                ends.add(e);
                            }
                        }
                    },
                    "fleet-" + i);
            workers.add(worker);
            worker.start();
        }
        for (Thread worker : workers) {
            join(worker);
        }
        flush(true);
        for (Throwable end : ends) {
            if (end instanceof IOException disk) {
                throw disk;
            }
            throw new IllegalStateException("a worker ended", end);
        }
    }

    private static void join(Thread worker) {
        try {
            worker.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void take(Recording recording, Counts counts) throws IOException, InterruptedException {
        Path file = recording.file();
        String stamp = stamp(file);
        if (stamp.equals(seen.put(file, stamp))) {
            counts.known.incrementAndGet();
            return;
        }
        String name = String.valueOf(file.getFileName());
        String id;
        String problem = "";
        try {
            id = Origin.traceId(List.of(file));
        } catch (IOException e) { // Missing or unreadable: its path stands for its bytes.
            id = Origin.ofText(file.toAbsolutePath().toString());
            problem = FileProblem.reason(e);
        }
        if (!current.add(id)) {
            counts.known.incrementAndGet();
            return;
        }
        Origin origin = new Origin(id, options.toolVersion(), name, recording.labels());
        RecordingRows summary = problem.isEmpty() ? bounded(file, origin) : RecordingRows.failed(origin, problem);
        if (summary.hasFailed()) {
            counts.failed.incrementAndGet();
        }
        add(summary);
        counts.analysed.incrementAndGet();
    }

    private static String stamp(Path file) {
        try {
            return Files.size(file) + " " + Files.getLastModifiedTime(file);
        } catch (IOException missing) {
            return "";
        }
    }

    /** Analyses a recording as soon as those that are being analysed leave it enough heap. */
    private RecordingRows bounded(Path file, Origin origin) throws InterruptedException {
        int units = (int) Math.min(heapUnits, Math.max(LEAST_HEAP, HEAP_PER_BYTE * inflated(file)) / UNIT);
        heap.acquire(units);
        try {
            return summary(file, origin, analyzer);
        } finally {
            heap.release(units);
        }
    }

    /** Reads and explains a recording; whatever goes wrong is its row. */
    public static RecordingRows summary(Path file, Origin origin, Analyzer analyzer) {
        String programs = Objects.requireNonNullElse(System.getenv("PATH"), "");
        List<Input> inputs = List.of(new Input(file, null));
        try (InputFiles files = InputFiles.of(inputs, Formats.importers(), InputStream.nullInputStream(), programs)) {
            Timeline timeline = Formats.importers().load(files.inputs(), bytes -> {});
            return RecordingRows.of(origin, analyzer.explain(timeline, origin.name()));
        } catch (ImportException e) { // Wherever the file lay, its row is the same.
            return RecordingRows.failed(origin, FileProblem.oneLine(e).replace(file.toString(), origin.name()));
        } catch (RuntimeException | OutOfMemoryError | StackOverflowError e) {
            return RecordingRows.failed(origin, "internal error: " + Report.Failure.describe(e));
        }
    }

    private static long inflated(Path file) {
        try {
            return file.toString().endsWith(".gz") ? 15 * Files.size(file) : Files.size(file);
        } catch (IOException unknown) {
            return 0;
        }
    }

    private void add(RecordingRows summary) throws IOException {
        synchronized (unwritten) {
            if (unwritten.isEmpty()) {
                oldestNs = System.nanoTime();
            }
            unwritten.add(summary);
        }
        flush(false);
    }

    private void flush(boolean all) throws IOException {
        List<RecordingRows> taken;
        synchronized (unwritten) {
            boolean due = unwritten.size() >= SET || System.nanoTime() - oldestNs > SET_NS;
            if (unwritten.isEmpty() || !(all || due)) {
                return;
            }
            taken = new ArrayList<>(unwritten);
            unwritten.clear();
        }
        synchronized (sets) {
            Map<Path, Set<String>> replaced = new HashMap<>();
            for (RecordingRows summary : taken) {
                Path set = outdated.remove(summary.traceId());
                if (set != null) {
                    replaced.computeIfAbsent(set, key -> new HashSet<>()).add(summary.traceId());
                }
            }
            for (Map.Entry<Path, Set<String>> entry : replaced.entrySet()) {
                Path rest = sets.remove(entry.getKey(), entry.getValue());
                if (rest != null) {
                    outdated.replaceAll((id, set) -> set.equals(entry.getKey()) ? rest : set);
                }
            }
            sets.write(taken);
        }
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
