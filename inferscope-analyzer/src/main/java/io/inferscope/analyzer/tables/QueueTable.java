package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.WorkTables.QueueFigures;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How many operations of a stream had been launched and had not started: one more where a launch call begins, one less where the operation starts.
 *
 * <pre>
 *   calls     [a][b][c]
 *   stream       [a    ][b  ][c  ]
 *   length    1  1  2   1    0
 * </pre>
 */
final class QueueTable {
    private QueueTable() {}

    /** Returns one line per stream of which launches are recorded. */
    static List<QueueFigures> of(Analysis analysis) {
        List<QueueFigures> figures = new ArrayList<>();
        for (DeviceActivity device : analysis.devices()) {
            Timeline timeline = analysis.timeline();
            int[] counts = new int[timeline.tracks().size()];
            for (int i = 0; i < device.operationCount(); i++) {
                counts[timeline.track(device.row(i))] += device.isLaunchedAlone(i) ? 1 : 0;
            }
            for (int stream = 0; stream < counts.length; stream++) {
                if (counts[stream] > 0) {
                    figures.add(figures(timeline, device, stream, counts[stream]));
                }
            }
        }
        return figures;
    }

    private static QueueFigures figures(Timeline timeline, DeviceActivity device, int stream, int count) {
        long[] launched = new long[count];
        long[] started = new long[count];
        int filled = 0;
        for (int i = 0; filled < count; i++) {
            if (timeline.track(device.row(i)) == stream && device.isLaunchedAlone(i)) {
                launched[filled] = timeline.startNs(device.launch(i));
                started[filled] = Math.max(launched[filled], timeline.startNs(device.row(i)));
                filled++;
            }
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
