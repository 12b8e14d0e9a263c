package io.inferscope.report.plots;

import io.inferscope.analyzer.model.Units;
import io.inferscope.report.plots.Plot.Pen;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/** How long runs took by the number with which each was started, a line for runs that differ in it alone. */
public final class ScalingPlot {
    private static final int LEFT = 70;
    private static final int TOP = 10;
    private static final int RIGHT = 150;
    private static final int WIDE = Plot.WIDTH - LEFT - RIGHT;
    private static final int TALL = 200;

    private ScalingPlot() {}

    /**
     * Draws the picture.
     *
     * @param over what the number is
     * @param lines length in ns by number, for each name of a line
     */
    public static Plot of(String over, Map<String, SortedMap<Double, Long>> lines) {
        double most = 1e-9;
        long mostNs = 1;
        for (SortedMap<Double, Long> line : lines.values()) {
            for (Map.Entry<Double, Long> run : line.entrySet()) {
                most = Math.max(most, run.getKey());
                mostNs = Math.max(mostNs, run.getValue());
            }
        }
        Pen pen = new Pen();
        for (double part : new double[] {0, 0.5, 1}) {
            double y = TOP + TALL * (1 - part);
            pen.line(LEFT, y, LEFT + WIDE, y).text(LEFT - 5, y + 4, "end", Units.duration(Math.round(part * mostNs)));
        }
        List<String> words = new ArrayList<>();
        for (Map.Entry<String, SortedMap<Double, Long>> line : lines.entrySet()) {
            double fromX = Double.NaN;
            double fromY = 0;
            for (Map.Entry<Double, Long> run : line.getValue().entrySet()) {
                double x = LEFT + WIDE * run.getKey() / most;
                double y = TOP + TALL * (1 - (double) run.getValue() / mostNs);
                String said = over + " " + number(run.getKey()) + ": " + Units.duration(run.getValue());
                if (!Double.isNaN(fromX)) {
                    pen.line("roof", fromX, fromY, x, y);
                }
                pen.dot("a", x, y, 4, said);
                words.add(said);
                fromX = x;
                fromY = y;
            }
            pen.text(fromX + 8, fromY + 4, "start", line.getKey());
        }
        pen.text(LEFT + WIDE, TOP + TALL + 18, "end", over + " up to " + number(most));
        return new Plot("scaling-" + over, "Time by " + over, String.join("; ", words), TOP + TALL + 24, pen.drawing());
    }

    private static String number(double value) {
        return value == Math.rint(value) ? Units.fixed(value, 0) : Double.toString(value);
    }
}
