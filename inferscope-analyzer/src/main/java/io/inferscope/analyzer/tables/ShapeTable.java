package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.RooflineRemark;
import io.inferscope.analyzer.model.ShapeTables.OperatorShape;
import io.inferscope.analyzer.model.ShapeTables.PeakFigures;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.tables.ShapeGroups.Group;
import io.inferscope.analyzer.work.DevicePeak;
import io.inferscope.analyzer.work.DevicePeaks;
import io.inferscope.analyzer.work.Roofline;
import io.inferscope.analyzer.work.Work;
import io.inferscope.timeline.DeviceFact;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The table of operators by shape, and the peaks that they are compared with. */
final class ShapeTable {
    private static final int LARGEST = 50;

    private final Timeline timeline;
    private final boolean devices;
    private final @Nullable DevicePeak peak;
    private final List<Group> groups;
    private final @Nullable LedgerPart part;
    private final @Nullable Stretch judged;
    private long allNs;

    ShapeTable(Analysis analysis) {
        this.timeline = analysis.timeline();
        this.devices = !analysis.devices().isEmpty();
        this.peak = commonPeak(analysis);
        List<Group> steady = analysis.judgesSteadyState()
                ? sorted(ShapeWork.of(analysis, analysis.judged().stretch()))
                : List.of();
        this.judged = steady.isEmpty() ? null : analysis.judged().stretch();
        this.groups = judged != null ? steady : sorted(ShapeWork.of(analysis, analysis.window()));
        this.part = groups.isEmpty()
                ? null
                : judged != null ? analysis.judged().what() : devices ? LedgerPart.SPAN : LedgerPart.WINDOW;
        groups.forEach(group -> allNs += ns(group));
    }

    /**
     * Returns the part that contains the operators: the steady state if it is judged and has operators, otherwise
     * everything.
     */
    @Nullable
    LedgerPart part() {
        return part;
    }

    /** Returns the operators with time, longest first. */
    List<Group> groups() {
        return groups;
    }

    /** Returns the interval of a device that contains the operators. */
    Stretch stretch(DeviceActivity device) {
        return judged == null ? new Stretch(device.firstNs(), device.lastNs()) : judged;
    }

    private List<Group> sorted(ShapeGroups found) {
        return found.all().stream()
                .filter(group -> ns(group) > 0)
                .sorted(Order.comparingLong(this::ns)
                        .reversed()
                        .thenComparing(g -> timeline.text(g.name()))
                        .thenComparing(g -> timeline.text(g.dims()))
                        .thenComparing(this::types))
                .toList();
    }

    private long ns(Group group) {
        return devices ? group.deviceNs() : group.hostNs();
    }

    private String types(Group group) {
        return group.types() < 0 ? "" : timeline.text(group.types());
    }

    /** The table holds the operators of all devices, so devices of different models have no common peak. */
    private static @Nullable DevicePeak commonPeak(Analysis analysis) {
        DevicePeak common = null;
        for (DeviceActivity device : analysis.devices()) {
            DevicePeak peak = peak(analysis, device);
            if (peak == null || (common != null && !common.equals(peak))) {
                return null;
            }
            common = peak;
        }
        return common;
    }

    /** Returns the peak of a device: the user's limits, otherwise those of the built-in table; null if unknown. */
    static @Nullable DevicePeak peak(Analysis analysis, DeviceActivity device) {
        DevicePeak recorded = known(analysis.timeline(), device.id());
        DevicePeak known =
                recorded == null && !analysis.gpu().isEmpty() ? DevicePeaks.of(analysis.gpu(), 0, 0) : recorded;
        double fp16 = analysis.threshold(Thresholds.PEAK_FP16);
        double fp32 = analysis.threshold(Thresholds.PEAK_FP32);
        double bytes = analysis.threshold(Thresholds.PEAK_BYTES);
        if (known == null && fp16 > 0 && fp32 > 0 && bytes > 0) {
            return new DevicePeak("as set", 0, fp32, 0, fp16, 0, 0, bytes, 0, "settings");
        }
        return known == null ? null : known.with(fp16, fp32, bytes);
    }

    /**
     * Some ROCm traces number devices differently in events and in descriptions. If all descriptions are of one model,
     * it is used for every device.
     */
    private static @Nullable DevicePeak known(Timeline timeline, String device) {
        if (!DeviceFact.NAME.of(timeline, device).isEmpty()
                || !DeviceFact.SMS.of(timeline, device).isEmpty()) {
            return described(timeline, device);
        }
        DevicePeak common = null;
        for (String other : DeviceFact.NAME.all(timeline).keySet()) {
            DevicePeak peak = described(timeline, other);
            if (peak == null || (common != null && !common.equals(peak))) {
                return null;
            }
            common = peak;
        }
        return common;
    }

    private static @Nullable DevicePeak described(Timeline timeline, String device) {
        return DevicePeaks.of(
                DeviceFact.NAME.of(timeline, device),
                DeviceFact.SMS.number(timeline, device),
                DeviceFact.MEMORY_BYTES.number(timeline, device));
    }

    List<PeakFigures> peaks(Analysis analysis) {
        List<PeakFigures> peaks = new ArrayList<>();
        for (DeviceActivity device : groups.isEmpty() ? List.<DeviceActivity>of() : analysis.devices()) {
            DevicePeak known = peak(analysis, device);
            if (known != null) {
                peaks.add(new PeakFigures(
                        device.id(),
                        known.model(),
                        known.fp16(),
                        known.fp32(),
                        known.bytesPerSecond(),
                        known.source()));
            }
        }
        return peaks;
    }

    /** Returns one line per operator and inputs, longest first, cut to the longest. */
    List<OperatorShape> operators() {
        return groups.stream().limit(LARGEST).map(this::figures).toList();
    }

    private OperatorShape figures(Group group) {
        Work work = group.work();
        double perCallNs = (double) ns(group) / group.count();
        Roofline roofline = work == null || peak == null || group.crossesBus()
                ? null
                : Roofline.of(work, perCallNs, peak, group.usesTf32());
        boolean matrix = work != null && work.kind().isMatrix();
        return new OperatorShape(
                timeline.text(group.name()),
                timeline.text(group.dims()),
                types(group),
                work == null ? null : work.kind(),
                group.count(),
                group.hostNs(),
                group.deviceNs(),
                (double) ns(group) / allNs,
                work == null ? null : Units.ifNumber(work.flops()),
                work == null ? null : Units.ifNumber(work.bytes()),
                work == null ? null : Units.ifNumber(work.flops() * 1e9 / perCallNs),
                work == null ? null : Units.ifNumber(work.bytes() * 1e9 / perCallNs),
                roofline == null ? null : roofline.bound(),
                roofline == null ? null : roofline.efficiency(),
                remark(roofline),
                matrix && devices ? group.matrixUnits() : null);
    }

    private static @Nullable RooflineRemark remark(@Nullable Roofline roofline) {
        if (roofline == null || roofline.efficiency() <= 1) {
            return null;
        }
        return roofline.isAnomaly()
                ? RooflineRemark.ABOVE_PEAK
                : roofline.fromCache() ? RooflineRemark.FROM_CACHE : null;
    }
}
