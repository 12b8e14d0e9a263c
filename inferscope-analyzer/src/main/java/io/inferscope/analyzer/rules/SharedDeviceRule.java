package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Counters.Series;
import io.inferscope.analyzer.analysis.UnrecordedDeviceUsers;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.DeviceCounters;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Reports a device that several processes use. */
final class SharedDeviceRule extends Rule {
    static final String ID = "shared-device";

    @Override
    public Verdict evaluate(Analysis analysis) {
        DeviceActivity device = analysis.headline().orElseThrow();
        Stretch part = analysis.judged().stretch();
        Optional<Series> counted = analysis.counters()
                .ofDevice(DeviceCounters.PROCESSES, device.id())
                .map(series -> series.between(part.startNs(), part.endNs()))
                .filter(series -> series.size() > 0);
        if (counted.isEmpty()) {
            return new Verdict.NotApplicable("how many processes use the device is not recorded");
        }
        Series processes = counted.get();
        double limit = limit(analysis, "share");
        long usedNs = new UnrecordedDeviceUsers(analysis, device).usedNs(part);
        if (analysis.ledger().share(usedNs) >= limit) {
            return Verdict.found(waiting(analysis, device, processes, usedNs));
        }
        long known = recorded(analysis);
        double unknown = processes.share(count -> count > known);
        double others = othersShare(analysis, device, part);
        if (unknown >= limit) {
            return Verdict.found(of(analysis, device, processes, 0, Severity.WARNING)
                    .measure("known", Units.count(known))
                    .measure("of readings", Units.percent(unknown))
                    .claim("shared-device.unknown")
                    .quantity("readings with processes not recorded", unknown, "ratio"));
        }
        if (processes.most() > 1 && others >= limit) {
            return Verdict.found(of(analysis, device, processes, 0, Severity.WARNING)
                    .measure("others", Units.percent(others))
                    .claim("shared-device.recorded")
                    .quantity("kernel time of the other processes", others, "ratio"));
        }
        return Verdict.clean(
                "the driver counts no more processes on the device than are recorded, and one of them has its time");
    }

    /** Returns whether other processes explain most of the waits after launches. */
    static boolean explainsWaits(Analysis analysis) {
        long waitsNs = analysis.ledger().ns(LedgerClass.GPU_DEPENDENCY);
        return waitsNs > 0 && 2 * UnrecordedDeviceUsers.judgedWaitNs(analysis) > waitsNs;
    }

    /** Makes the finding about kernels of other processes that the driver counted while work recorded here waited. */
    private FindingBuilder waiting(Analysis analysis, DeviceActivity device, Series processes, long usedNs) {
        long waitedNs = UnrecordedDeviceUsers.judgedWaitNs(analysis);
        Severity byShare = Severity.ofShare(analysis.ledger().share(waitedNs));
        Severity severity = byShare.compareTo(Severity.WARNING) < 0 ? byShare : Severity.WARNING;
        return of(analysis, device, processes, waitedNs, severity)
                .causes(List.of(LedgerClass.GPU_DEPENDENCY, LedgerClass.GPU_COMPUTE))
                .measure("used", Units.duration(usedNs))
                .measure("used share", Units.percent(analysis.ledger().share(usedNs)))
                .claim("shared-device.waiting")
                .quantity("time with kernels of other processes", usedNs, "ns");
    }

    private FindingBuilder of(
            Analysis analysis, DeviceActivity device, Series processes, long costNs, Severity severity) {
        return finding(analysis.ledger(), costNs)
                .severity(severity)
                .causes(List.of(LedgerClass.GPU_COMPUTE))
                .measure("device", device.id())
                .measure("all", Units.count((long) processes.most()))
                .quantity("most processes on the device", processes.most(), "count")
                .advice(analysis)
                .noGain("how long each kernel would take alone is not in the recording");
    }

    /**
     * Returns the number of processes with a recorded call of the device's driver or runtime, which therefore have a
     * context.
     */
    private static long recorded(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        return Arrays.stream(analysis.apiCalls())
                .map(call -> timeline.tracks().get(timeline.track(call)).parent())
                .distinct()
                .count();
    }

    /**
     * Returns the share of the operations' time in the part that was launched by processes other than the one with most
     * of it.
     */
    private static double othersShare(Analysis analysis, DeviceActivity device, Stretch part) {
        Timeline timeline = analysis.timeline();
        Map<Integer, Long> nsByProcess = new TreeMap<>();
        device.launched()
                .filter(i -> part.holds(timeline.startNs(device.row(i))))
                .forEach(i -> {
                    Track thread = timeline.tracks().get(timeline.track(device.launch(i)));
                    nsByProcess.merge(thread.parent(), timeline.durationNs(device.row(i)), Long::sum);
                });
        long totalNs = nsByProcess.values().stream().mapToLong(Long::longValue).sum();
        long mostNs =
                nsByProcess.values().stream().mapToLong(Long::longValue).max().orElse(0);
        return totalNs == 0 ? 0 : 1 - (double) mostNs / totalNs;
    }
}
