package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Counters.Series;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.analysis.UnrecordedDeviceUsers;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.DeviceCounters;
import io.inferscope.timeline.Intervals;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Compares the utilisation counted by the driver with the recorded work of each device. A sample of the driver is the
 * share of the time since the previous sample in which a kernel of any program ran.
 */
final class UtilisationAgrees extends Check {
    private static final Threshold UTILISATION = Threshold.of("trust.utilisation.share");
    private static final Threshold UTILISATION_LEAST_NS = Threshold.of("trust.utilisation.least-ns");

    /** The busy ratios of one counter and of the recording for the same time. */
    private record Comparison(
            String device, long coveredNs, double countedRatio, double recordedRatio, double othersRatio) {
        double apart() {
            return Math.abs(countedRatio - othersRatio - recordedRatio);
        }
    }

    /**
     * Judges the devices with recorded work. Counted work of another device is only a note, because it may be another
     * program's.
     */
    @Override
    TrustCheck of(RecordingFacts recorded) {
        Comparison own = worst(recorded, true);
        TrustCheck judged = judge(recorded, own, true);
        Comparison other = worst(recorded, false);
        return judged.passed() && other != null && (own == null || isApart(recorded, other))
                ? judge(recorded, other, false)
                : judged;
    }

    private static @Nullable Comparison worst(RecordingFacts recorded, boolean withWork) {
        Comparison worst = null;
        for (Series series : recorded.analysis().counters().named(DeviceCounters.UTILISATION)) {
            String device = DeviceCounters.device(series.key());
            boolean wanted = !device.isEmpty() && withWork == hasWork(recorded, device);
            Comparison comparison = wanted ? compare(recorded, series, device) : null;
            if (comparison != null
                    && comparison.coveredNs >= recorded.threshold(UTILISATION_LEAST_NS)
                    && (worst == null || comparison.apart() > worst.apart())) {
                worst = comparison;
            }
        }
        return worst;
    }

    private static boolean hasWork(RecordingFacts recorded, String id) {
        return recorded.analysis().devices().stream()
                .anyMatch(device -> device.id().equals(id));
    }

    private static boolean isApart(RecordingFacts recorded, Comparison comparison) {
        return comparison.apart() > recorded.threshold(UTILISATION);
    }

    private TrustCheck judge(RecordingFacts recorded, @Nullable Comparison comparison, boolean withholds) {
        if (comparison == null) {
            return pass("no utilisation counted by the driver is recorded for long enough");
        }
        String detail = "of " + Units.duration(comparison.coveredNs) + " the driver counted device " + comparison.device
                + " busy for " + Units.percent(comparison.countedRatio) + ", recorded are "
                + Units.percent(comparison.recordedRatio)
                + (comparison.othersRatio > 0
                        ? ", and " + Units.percent(comparison.othersRatio) + " are of other processes that use it"
                        : "");
        if (!isApart(recorded, comparison)) {
            return pass(detail);
        }
        return fail(
                withholds,
                detail
                        + (comparison.countedRatio > comparison.recordedRatio
                                ? ": kernels are missing, or another program uses the device"
                                : ": kernels are recorded that did not run for so long"),
                "let no other program use the device (`nvidia-smi pmon -c 1` lists them), and "
                        + recorded.recorder().again());
    }

    private static Comparison compare(RecordingFacts recorded, Series series, String id) {
        Optional<DeviceActivity> device = recorded.analysis().devices().stream()
                .filter(one -> one.id().equals(id))
                .findFirst();
        Intervals kernels = device.map(one -> one.compute().union(one.exposed(LedgerClass.GPU_COMMUNICATION)))
                .orElse(Intervals.EMPTY);
        Stretch all = new Stretch(series.timeNs(0), series.timeNs(series.size() - 1));
        long othersNs = device.map(one -> new UnrecordedDeviceUsers(recorded.analysis(), one).usedNs(all))
                .orElse(0L);
        double countedNs = 0;
        long recordedNs = 0;
        long coveredNs = 0;
        for (int i = 1; i < series.size(); i++) {
            long lastedNs = series.timeNs(i) - series.timeNs(i - 1);
            if (series.value(i) >= 0 && series.value(i) <= 1) {
                countedNs += series.value(i) * lastedNs;
                recordedNs += kernels.totalWithinNs(series.timeNs(i - 1), series.timeNs(i));
                coveredNs += lastedNs;
            }
        }
        double total = Math.max(1, coveredNs);
        return new Comparison(id, coveredNs, countedNs / total, recordedNs / total, othersNs / total);
    }
}
