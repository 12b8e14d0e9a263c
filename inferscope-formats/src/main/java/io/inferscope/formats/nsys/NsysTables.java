package io.inferscope.formats.nsys;

import io.inferscope.formats.common.SpanRows;
import io.inferscope.formats.sqlite.SqliteFile;
import io.inferscope.formats.sqlite.SqliteRow;
import io.inferscope.formats.sqlite.SqliteTexts;
import io.inferscope.timeline.DeviceFact;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.importer.CorrelationLinker;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Shared by the readers of single tables: texts, tracks, links.
 *
 * <p>A globalTid is a process and a thread in one number, a globalPid the same with no thread: bits 0 to 23 are the
 * thread, 24 to 47 the process, higher bits the machine (User Guide, "Serialized Global Identifiers").
 */
final class NsysTables {
    private static final int PROCESS_SHIFT = 24;
    private static final long ID_MASK = (1L << PROCESS_SHIFT) - 1;

    /** Values that CUPTI writes for "no single stream": CUPTI_SYNCHRONIZATION_INVALID_VALUE. */
    private static final long NO_STREAM = 0xFFFF_FFFFL;

    private final SqliteFile file;
    private final SqliteTexts texts;
    private final TimelineBuilder builder;
    private final SpanRows spans;
    private final CorrelationLinker linker;
    private final NsysEvents events;
    private final NsysDevices devices;
    private final boolean devicesSayProcess;
    private final Set<String> read = new HashSet<>();
    private final Map<Long, Integer> processes = new HashMap<>();
    private final Map<Long, Integer> threads = new HashMap<>();
    private final Map<StreamKey, Integer> streams = new HashMap<>();

    private record StreamKey(long process, long device, long context, long stream) {}

    NsysTables(SqliteFile file, SqliteTexts texts, TimelineBuilder builder) {
        this.file = file;
        this.texts = texts;
        this.builder = builder;
        this.spans = new SpanRows(builder);
        this.linker = new CorrelationLinker(builder::startNsAt);
        this.events = new NsysEvents(this);
        this.devices = new NsysDevices(file, builder);
        this.devicesSayProcess = file.schema().tables().stream()
                .filter(NsysDeviceTables::isDeviceTable)
                .allMatch(t -> file.schema().has(t, "globalPid"));
    }

    SqliteFile file() {
        return file;
    }

    SqliteTexts texts() {
        return texts;
    }

    TimelineBuilder builder() {
        return builder;
    }

    SpanRows spans() {
        return spans;
    }

    CorrelationLinker linker() {
        return linker;
    }

    NsysEvents events() {
        return events;
    }

    /** Scans a table and remembers that it was read. */
    void scan(String table, SqliteFile.Sink sink, String... columns) {
        read.add(table);
        file.scan(table, sink, columns);
    }

    boolean isRead(String table) {
        return read.contains(table);
    }

    /**
     * Returns the process in which a global id's correlation ids are unique; always the same one if device tables do
     * not name theirs.
     */
    long correlationProcess(long globalId) {
        return devicesSayProcess && globalId != SqliteRow.ABSENT ? globalId >> PROCESS_SHIFT : 0;
    }

    /** Returns the process id in a global id, 0 for an absent one. */
    static long processId(long globalId) {
        return globalId == SqliteRow.ABSENT ? 0 : (globalId >> PROCESS_SHIFT) & ID_MASK;
    }

    int processTrack(long globalId) {
        return processes.computeIfAbsent(
                processId(globalId), pid -> builder.track(TrackKind.PROCESS, -1, Long.toString(pid)));
    }

    int threadTrack(long globalTid) {
        return threads.computeIfAbsent(globalTid, id -> {
            long tid = id == SqliteRow.ABSENT ? 0 : id & ID_MASK;
            return builder.track(TrackKind.THREAD, processTrack(id), Long.toString(tid));
        });
    }

    /** Returns the track of a stream. Context and stream ids are unique per process only. */
    int streamTrack(long globalPid, long device, long context, long stream) {
        return streams.computeIfAbsent(
                new StreamKey(processId(globalPid), device, context, stream), this::newStreamTrack);
    }

    private int newStreamTrack(StreamKey key) {
        String device = devices.key(key.process, key.device);
        boolean all = key.stream == NO_STREAM || key.stream == -1 || key.stream == SqliteRow.ABSENT;
        String stream = all ? "all" : Long.toString(key.stream);
        String context = key.context == SqliteRow.ABSENT ? "" : Long.toString(key.context);
        String scope = key.process == 0 ? context : key.process + "." + context;
        int track = builder.track(
                TrackKind.STREAM,
                builder.track(TrackKind.DEVICE, -1, device),
                scope.isEmpty() ? stream : scope + '/' + stream);
        builder.trackName(track, all ? "all streams" : "stream " + stream);
        return track;
    }

    /** Closes open ranges, names the tracks that have rows, and links launches. */
    void finish() {
        spans.closeOpen();
        scan("PROCESSES", row -> name(processes.get(processId(row.number(0))), row.text(1)), "globalPid", "name");
        scan("ThreadNames", row -> name(threads.get(row.number(0)), texts.text(row.number(1))), "globalTid", "nameId");
        events.link(linker);
    }

    private void name(@org.jspecify.annotations.Nullable Integer track, String name) {
        if (track != null && !name.isEmpty()) {
            builder.trackName(track, name);
        }
    }

    /**
     * Maps device numbers to GPUs. Rows contain CUDA's number, which starts at 0 in every process, even if it sees only
     * some of the GPUs; TARGET_INFO_CUDA_DEVICE has the GPU. Otherwise CUDA's number identifies the GPU.
     */
    private static final class NsysDevices {
        private final TimelineBuilder builder;
        private final Map<Long, String> names = new HashMap<>();
        private final Map<Long, Long> multiprocessors = new HashMap<>();
        private final Map<CudaDevice, Long> gpus = new HashMap<>();

        /** CUDA's number of a device in a process; process 0 if the table has none. */
        private record CudaDevice(long process, long number) {}

        NsysDevices(SqliteFile file, TimelineBuilder builder) {
            this.builder = builder;
            file.scan(
                    "TARGET_INFO_GPU",
                    row -> {
                        names.put(row.number(0, -1), row.text(1));
                        multiprocessors.put(row.number(0, -1), row.number(2, 0));
                    },
                    "id",
                    "name",
                    "smCount");
            file.scan(
                    "TARGET_INFO_CUDA_DEVICE",
                    row -> gpus.put(new CudaDevice(row.number(0, 0), row.number(1, -1)), row.number(2, -1)),
                    "pid",
                    "cudaId",
                    "gpuId");
        }

        /** Returns the key of a device's track, and keeps the GPU's name as a property. */
        String key(long process, long number) {
            long gpu = gpus.getOrDefault(
                    new CudaDevice(process, number), gpus.getOrDefault(new CudaDevice(0, number), number));
            String key = gpu == SqliteRow.ABSENT ? "0" : Long.toString(gpu);
            DeviceFact.NAME.store(builder, key, names.getOrDefault(gpu, ""));
            long sms = multiprocessors.getOrDefault(gpu, 0L);
            DeviceFact.SMS.store(builder, key, sms > 0 ? Long.toString(sms) : "");
            return key;
        }
    }
}
