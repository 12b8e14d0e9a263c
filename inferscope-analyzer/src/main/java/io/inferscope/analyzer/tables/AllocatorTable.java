package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.knowledge.ApiCalls;
import io.inferscope.analyzer.model.ShapeTables.MemoryFigures;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.DeviceFact;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The peak memory of a framework's allocator, from its marks at every allocation and release. */
final class AllocatorTable {
    private final Timeline timeline;
    private final Map<String, Memory> memories = new TreeMap<>();

    private AllocatorTable(Timeline timeline) {
        this.timeline = timeline;
    }

    /** Returns one line per process and memory, the highest peak first. */
    static List<MemoryFigures> of(Analysis analysis) {
        if (!analysis.timeline().has(Attribute.ALLOCATED_BYTES)) {
            return List.of();
        }
        AllocatorTable table = new AllocatorTable(analysis.timeline());
        for (int row : analysis.rows(RowKind.INSTANT)) {
            table.add(row);
        }
        List<MemoryFigures> figures = new ArrayList<>();
        table.memories.values().forEach(memory -> figures.add(memory.figures(table.timeline)));
        figures.sort(Order.comparingLong(MemoryFigures::peakAllocatedBytes).reversed());
        return figures;
    }

    private void add(int row) {
        long allocated = timeline.attribute(row, Attribute.ALLOCATED_BYTES);
        if (allocated == Attribute.ABSENT) {
            return;
        }
        String process = Threads.process(timeline, timeline.track(row));
        long device = Math.max(-1, timeline.attribute(row, Attribute.MEMORY_DEVICE));
        memories.computeIfAbsent(process + '\n' + device, k -> new Memory(process, device))
                .add(timeline, row, allocated);
    }

    private static final class Memory {
        private final String process;
        private final long device;
        private long events;
        private long peakBytes = Long.MIN_VALUE;
        private int peakRow = -1;
        private long reservedBytes = -1;
        private long lastNs = Long.MIN_VALUE;
        private long lastBytes;

        Memory(String process, long device) {
            this.process = process;
            this.device = device;
        }

        void add(Timeline timeline, int row, long allocated) {
            events++;
            long atNs = timeline.startNs(row);
            boolean earlier = peakRow >= 0 && atNs < timeline.startNs(peakRow);
            if (allocated > peakBytes || (allocated == peakBytes && earlier)) {
                peakBytes = allocated;
                peakRow = row;
            }
            reservedBytes = Math.max(reservedBytes, timeline.attribute(row, Attribute.RESERVED_BYTES));
            if (atNs >= lastNs) {
                lastNs = atNs;
                lastBytes = allocated;
            }
        }

        MemoryFigures figures(Timeline timeline) {
            int operator = ApiCalls.operatorOf(timeline, peakRow);
            String capacity = DeviceFact.MEMORY_BYTES.of(timeline, Long.toString(device));
            return new MemoryFigures(
                    process,
                    device < 0 ? "host" : Long.toString(device),
                    events,
                    peakBytes,
                    timeline.startNs(peakRow),
                    operator < 0 ? "" : timeline.name(operator),
                    reservedBytes < 0 ? null : reservedBytes,
                    lastBytes,
                    capacity.matches("\\d{1,18}") ? Long.valueOf(capacity) : null);
        }
    }
}
