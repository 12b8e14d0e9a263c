package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.WorkTables.QueueFigures;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * The launch queue of each stream: how many operations were launched but had not started. A launch call's begin adds
 * one, an operation's start removes one.
 *
 * <pre>
 *   calls     [a][b][c]
 *   stream       [a    ][b  ][c  ]
 *   length    1  1  2   1    0
 * </pre>
 */
final class QueueTable {
    private QueueTable() {}

    /** Returns one line per stream with recorded launches. */
    static List<QueueFigures> of(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        List<QueueFigures> figures = new ArrayList<>();
        for (DeviceActivity device : analysis.devices()) {
            Parts parts = Parts.of(
                    device.operationCount(),
                    timeline.tracks().size(),
                    i -> device.isLaunchedAlone(i) ? timeline.track(device.row(i)) : -1);
            for (int stream = 0; stream < timeline.tracks().size(); stream++) {
                int[] operations = parts.of(stream);
                if (operations.length > 0) {
                    figures.add(figures(timeline, device, stream, operations));
                }
            }
        }
        return figures;
    }

    /** The operations grouped by stream, in two passes over the operations for any number of streams. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Parts(int[] operations, int[] ends) {
        /** Sorts operations by stream, stably. {@code streamOf} returns -1 for operations to leave out. */
        static Parts of(int operations, int streams, IntUnaryOperator streamOf) {
            int[] ends = new int[streams];
            for (int i = 0; i < operations; i++) {
                int stream = streamOf.applyAsInt(i);
                if (stream >= 0) {
                    ends[stream]++;
                }
            }
            int total = 0;
            for (int stream = 0; stream < streams; stream++) {
                int count = ends[stream];
                ends[stream] = total;
                total += count;
            }
            int[] ordered = new int[total];
            for (int i = 0; i < operations; i++) {
                int stream = streamOf.applyAsInt(i);
                if (stream >= 0) {
                    ordered[ends[stream]++] = i;
                }
            }
            return new Parts(ordered, ends);
        }

        int[] of(int stream) {
            return Arrays.copyOfRange(operations, stream == 0 ? 0 : ends[stream - 1], ends[stream]);
        }
    }

    private static QueueFigures figures(Timeline timeline, DeviceActivity device, int stream, int[] operations) {
        int count = operations.length;
        long[] launched = new long[count];
        long[] started = new long[count];
        for (int i = 0; i < count; i++) {
            launched[i] = timeline.startNs(device.launch(operations[i]));
            started[i] = Math.max(launched[i], timeline.startNs(device.row(operations[i])));
        }
        Arrays.sort(launched);
        Arrays.sort(started);
        long waitedNs = 0;
        long emptyNs = 0;
        long fullNs = 0;
        int most = 0;
        int next = 0;
        long atNs = launched[0];
        for (int i = 0; i < count; i++) {
            while (next < count && launched[next] <= started[i]) {
                int length = next - i;
                long ns = launched[next] - atNs;
                waitedNs += length * ns;
                emptyNs += length == 0 ? ns : 0;
                fullNs += length >= QueueFigures.FULL ? ns : 0;
                atNs = launched[next];
                most = Math.max(most, ++next - i);
            }
            int length = next - i;
            long ns = started[i] - atNs;
            waitedNs += length * ns;
            fullNs += length >= QueueFigures.FULL ? ns : 0;
            atNs = started[i];
        }
        long lengthNs = Math.max(1, started[count - 1] - launched[0]);
        return new QueueFigures(
                device.id(),
                timeline.tracks().get(stream).key(),
                count,
                lengthNs,
                waitedNs,
                most,
                (double) emptyNs / lengthNs,
                fullNs);
    }
}
