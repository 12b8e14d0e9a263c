package io.inferscope.report.plots;

import io.inferscope.analyzer.model.ShapeTables.OperatorShape;
import io.inferscope.analyzer.model.ShapeTables.PeakFigures;
import io.inferscope.analyzer.model.Units;
import io.inferscope.report.plots.Plot.Pen;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Operators by shape below the roof of their device (S. Williams, A. Waterman, D. Patterson, 2009): operations per byte
 * of least traffic to the right, operations per second upwards, both logarithmic. A dot's area is its part of the time.
 */
record RooflinePlot(List<OperatorShape> operators, double flops, double bytesPerSecond) {
    private static final int LEFT = 90;
    private static final int TOP = 12;
    private static final int WIDE = Plot.WIDTH - LEFT - 20;
    private static final int TALL = 240;
    private static final int LARGEST = 9;

    /** Of less, a picture shows nothing that the table does not. */
    private static final int FEWEST = 2;

    /** Returns the picture; empty where fewer than two operators can be drawn, or devices of several models worked. */
    static Optional<Plot> of(List<OperatorShape> all, List<PeakFigures> peaks) {
        List<OperatorShape> operators = all.stream()
                .filter(one -> amount(one.flops()) > 0 && amount(one.bytes()) > 0 && amount(one.flopsPerSecond()) > 0)
                .toList();
        boolean oneModel = peaks.stream().map(PeakFigures::model).distinct().count() == 1;
        if (operators.size() < FEWEST || !oneModel) {
            return Optional.empty();
        }
        PeakFigures peak = peaks.get(0);
        return Optional.of(new RooflinePlot(operators, peak.fp16(), peak.bytesPerSecond()).drawn(peak.model()));
    }

    private static double amount(@Nullable Double value) {
        return Objects.requireNonNullElse(value, 0.0);
    }

    private static double perByte(OperatorShape one) {
        return amount(one.flops()) / amount(one.bytes());
    }

    private Plot drawn(String model) {
        double ridge = flops / bytesPerSecond;
        Axis across = Axis.of(
                Stream.concat(Stream.of(ridge), operators.stream().map(RooflinePlot::perByte)), LEFT, LEFT + WIDE);
        Axis up = Axis.of(
                Stream.concat(Stream.of(flops), operators.stream().map(one -> amount(one.flopsPerSecond()))),
                TOP + TALL,
                TOP);
        Pen pen = new Pen();
        for (double x = across.low(); x <= across.high() * 1.01; x *= 10) {
            pen.line(across.at(x), TOP, across.at(x), TOP + TALL)
                    .text(across.at(x), TOP + TALL + 18, "middle", label(x));
        }
        for (double y = up.low(); y <= up.high() * 1.01; y *= 10) {
            pen.line(LEFT, up.at(y), LEFT + WIDE, up.at(y)).text(LEFT - 5, up.at(y) + 4, "end", Units.flopsRate(y));
        }
        pen.text(LEFT + WIDE, TOP + TALL + 34, "end", "operations per byte");
        double from = Math.max(across.low(), up.low() / bytesPerSecond);
        pen.line("roof", across.at(from), up.at(from * bytesPerSecond), across.at(ridge), up.at(flops))
                .line("roof", across.at(ridge), up.at(flops), LEFT + WIDE, up.at(flops));
        for (OperatorShape one : operators) {
            pen.dot(
                    "a",
                    across.at(perByte(one)),
                    up.at(amount(one.flopsPerSecond())),
                    Math.max(2, LARGEST * Math.sqrt(one.share())),
                    one.name() + ' ' + one.dims() + ": " + Units.flopsRate(amount(one.flopsPerSecond())) + ", "
                            + Units.percent(one.share()) + " of the time");
        }
        String words = Units.count(operators.size()) + " operators below the roof of " + model + ": "
                + Units.flopsRate(flops) + " in float16 and " + Units.rate(bytesPerSecond);
        return new Plot("roofline", "Operators below the roof of the device", words, TOP + TALL + 40, pen.drawing());
    }

    private static String label(double powerOfTen) {
        return powerOfTen >= 1 ? Units.count(Math.round(powerOfTen)) : Float.toString((float) powerOfTen);
    }

    /** A logarithmic axis from one power of ten to another. */
    private record Axis(double low, double high, double from, double to) {
        static Axis of(Stream<Double> values, double from, double to) {
            double[] sorted = values.mapToDouble(Double::doubleValue).sorted().toArray();
            double low = Math.pow(10, Math.floor(Math.log10(sorted[0])));
            double high = Math.pow(10, Math.ceil(Math.log10(sorted[sorted.length - 1])));
            return new Axis(low, Math.max(low * 10, high), from, to);
        }

        double at(double value) {
            return from + (to - from) * Math.log(value / low) / Math.log(high / low);
        }
    }
}
