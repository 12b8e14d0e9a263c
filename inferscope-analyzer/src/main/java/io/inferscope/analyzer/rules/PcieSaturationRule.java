package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.DeviceCounters;
import io.inferscope.timeline.DeviceFact;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;

/** Reports a saturated link between host and device. */
final class PcieSaturationRule extends Rule {
    private static final Threshold LINK_BYTES_PER_SECOND = Threshold.of("pcie-saturation.link-bytes-per-second");

    /** The traffic of one direction of the link in the judged part. */
    private record Traffic(LedgerClass exposed, String words, long sizeBytes, long activeNs) {
        double bytesPerSecond() {
            return activeNs == 0 ? 0 : sizeBytes * 1e9 / activeNs;
        }
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        Traffic in = traffic(analysis, RowKind.MEMCPY_H2D, LedgerClass.COPY_H2D, "to the device");
        Traffic out = traffic(analysis, RowKind.MEMCPY_D2H, LedgerClass.COPY_D2H, "to the host");
        Traffic busier = in.activeNs >= out.activeNs ? in : out;
        double limit = limit(analysis);
        if (busier.sizeBytes <= 0) {
            return new Verdict.NotApplicable("no copy between host and device says how many bytes it moved");
        }
        if (limit <= 0) {
            return new Verdict.NotApplicable("how fast the device's link is, is not known");
        }
        Ledger ledger = analysis.ledger();
        if (ledger.share(busier.activeNs) < limit(analysis, "share")) {
            return Verdict.clean("copies " + busier.words + " take " + ledger.shareOfPart(busier.activeNs));
        }
        if (busier.bytesPerSecond() < limit(analysis, "rate") * limit) {
            return Verdict.clean("copies " + busier.words + " reach " + Units.rate(busier.bytesPerSecond()) + " of "
                    + Units.rate(limit) + ": something else slows them");
        }
        long exposedNs = ledger.ns(busier.exposed);
        FindingBuilder finding = finding(ledger, exposedNs);
        return Verdict.found((exposedNs == 0 ? finding.severity(Severity.INFO) : finding)
                .measure("rate", Units.rate(busier.bytesPerSecond()))
                .measure("limit", Units.rate(limit))
                .measure("words", busier.words)
                .measure("active", Units.percent(ledger.share(busier.activeNs)))
                .quantity("copied " + busier.words, busier.sizeBytes, "bytes")
                .quantity("rate", busier.bytesPerSecond(), "bytes/s")
                .quantity("rate of the link in one direction", limit, "bytes/s")
                .advice(analysis)
                .hides(analysis, busier.exposed));
    }

    /** Returns the rate of the headline device's link in one direction, in bytes per second, 0 if unknown: the user's value; otherwise the driver's reading of the link; otherwise the device's best. */
    static double limit(Analysis analysis) {
        double given = analysis.threshold(LINK_BYTES_PER_SECOND);
        String id = analysis.headline().orElseThrow().id();
        String name = DeviceFact.NAME.of(analysis.timeline(), id);
        double seen = PcieLink.isOther(name)
                ? 0
                : PcieLink.bytesPerSecond(
                        most(analysis, DeviceCounters.PCIE_GENERATION, id),
                        most(analysis, DeviceCounters.PCIE_WIDTH, id));
        return given > 0 ? given : seen > 0 ? seen : PcieLink.bytesPerSecond(name);
    }

    /** Returns a counter's maximum: an unused link is slowed down, so the maximum is its rate under load. */
    private static int most(Analysis analysis, String counter, String device) {
        return analysis.counters()
                .ofDevice(counter, device)
                .map(series -> (int) series.most())
                .orElse(0);
    }

    private static Traffic traffic(Analysis analysis, RowKind kind, LedgerClass exposed, String words) {
        Timeline timeline = analysis.timeline();
        DeviceActivity device = analysis.headline().orElseThrow();
        Stretch part = analysis.judged().stretch();
        int[] copies = device.rows()
                .filter(row -> timeline.kind(row) == kind && part.holds(timeline.startNs(row)))
                .filter(row -> timeline.attribute(row, Attribute.SIZE_BYTES) > 0)
                .toArray();
        long sizeBytes = Arrays.stream(copies)
                .mapToLong(row -> timeline.attribute(row, Attribute.SIZE_BYTES))
                .sum();
        long activeNs = timeline.times(Arrays.stream(copies)).totalNs();
        return new Traffic(exposed, words, sizeBytes, activeNs);
    }
}
