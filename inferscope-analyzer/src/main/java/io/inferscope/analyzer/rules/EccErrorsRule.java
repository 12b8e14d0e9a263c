package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Counters.Series;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.DeviceCounters;
import io.inferscope.timeline.Order;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Reports errors of a device's memory. */
final class EccErrorsRule extends Rule {
    private static final String NOT_COUNTED = "errors of the device's memory are not counted in this recording";

    /** Counted errors of one device: since the driver was loaded, and during the recording. */
    private record Errors(String device, double uncorrected, double corrected, double corrections) {
        static Errors of(Analysis analysis, String device) {
            Optional<Series> uncorrected = analysis.counters().ofDevice(DeviceCounters.ECC_UNCORRECTED, device);
            Optional<Series> corrected = analysis.counters().ofDevice(DeviceCounters.ECC_CORRECTED, device);
            return new Errors(
                    device,
                    uncorrected.map(Series::most).orElse(0.0),
                    corrected.map(Series::most).orElse(0.0),
                    corrected.map(Series::growth).orElse(0.0));
        }
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        List<Series> counters = new ArrayList<>(analysis.counters().named(DeviceCounters.ECC_UNCORRECTED));
        counters.addAll(analysis.counters().named(DeviceCounters.ECC_CORRECTED));
        if (counters.isEmpty()) {
            return new Verdict.NotApplicable(NOT_COUNTED);
        }
        Optional<Errors> found = counters.stream()
                .map(series -> DeviceCounters.device(series.key()))
                .filter(device -> !device.isEmpty())
                .distinct()
                .map(device -> Errors.of(analysis, device))
                .max(Order.comparingDouble(Errors::uncorrected)
                        .thenComparingDouble(Errors::corrections)
                        .thenComparing(Errors::device, Comparator.reverseOrder()));
        if (found.isEmpty()) {
            return new Verdict.NotApplicable(NOT_COUNTED);
        }
        Errors errors = found.get();
        boolean lost = errors.uncorrected > 0;
        if (!lost && errors.corrections < limit(analysis, "corrected")) {
            return Verdict.clean("no uncorrected error; " + Units.count((long) errors.corrections)
                    + " were corrected during the recording");
        }
        return Verdict.found(finding(analysis.ledger(), 0)
                .severity(lost ? Severity.WARNING : Severity.INFO)
                .measure("device", errors.device)
                .measure("errors", Units.count((long) (lost ? errors.uncorrected : errors.corrections)))
                .claim(lost ? "ecc-errors.lost" : "ecc-errors")
                .quantity("errors not corrected", errors.uncorrected, "count")
                .quantity("errors corrected", errors.corrected, "count")
                .advice(analysis)
                .noGain("the errors cost no time"));
    }
}
