package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Says what makes two recordings differ beside the program itself. */
final class Comparability {
    /** Work that differs by more than this ratio is not the same work. */
    private static final double SAME_WORK = 0.10;

    /** What recordings say of the software below the program, by the key of the property; keys are Kineto's. */
    private static final Map<String, String> VERSIONS = Map.of(
            "cuda_runtime_version", "CUDA runtime",
            "cuda_driver_version", "CUDA driver",
            "hip_runtime_version", "HIP runtime",
            "hip_driver_version", "HIP driver",
            "distributedInfo.world_size", "number of ranks",
            "distributedInfo.rank", "rank");

    private static final List<RowKind> NAMED =
            List.of(RowKind.KERNEL, RowKind.OPERATOR, RowKind.ANNOTATION, RowKind.PYTHON_FUNCTION, RowKind.REQUEST);

    private final Side before;
    private final Side after;
    private final List<String> cautions = new ArrayList<>();

    private Comparability(Side before, Side after) {
        this.before = before;
        this.after = after;
    }

    /** Returns one sentence per reason why a difference need not come from the program, the weightiest first. */
    static List<String> cautions(Side before, Side after, Unit unit) {
        Comparability found = new Comparability(before, after);
        found.devices();
        found.recorders();
        found.work(unit);
        found.trust("before", before);
        found.trust("after", after);
        return found.cautions;
    }

    private void devices() {
        if (before.device().isPresent() != after.device().isPresent()) {
            add("Only " + (before.device().isPresent() ? "before" : "after")
                    + " has device work: the windows are compared, not the work of devices.");
            return;
        }
        String one = before.device().map(DeviceFigures::name).orElse("");
        String other = after.device().map(DeviceFigures::name).orElse("");
        if (!one.equals(other)) {
            add("Other device: " + (one.isEmpty() ? "not recorded" : one) + " before, "
                    + (other.isEmpty() ? "not recorded" : other) + " after.");
        }
        int devices = before.report().devices().size();
        if (devices != after.report().devices().size()) {
            add("Other number of devices: " + devices + " before, "
                    + after.report().devices().size() + " after.");
        }
    }

    private void recorders() {
        String one = before.timeline().info().format();
        String other = after.timeline().info().format();
        if (!one.equals(other)) {
            add("Recorded by other means: " + one + " before, " + other + " after; what they see differs.");
        }
        if (before.analysis().pythonStacksRecorded() != after.analysis().pythonStacksRecorded()) {
            add("Python functions were recorded one by one only "
                    + (before.analysis().pythonStacksRecorded() ? "before" : "after")
                    + ", which inflates the host's time there.");
        }
        VERSIONS.keySet().stream().sorted().forEach(this::version);
        if (!before.timeline().instantsAreRecorded() || !after.timeline().instantsAreRecorded()) {
            add("A recording holds averages laid end to end, not instants: it has no idle time and no overlap.");
        }
    }

    private void version(String key) {
        String one = before.timeline().properties().getOrDefault(key, "");
        String other = after.timeline().properties().getOrDefault(key, "");
        if (!one.isEmpty() && !other.isEmpty() && !one.equals(other)) {
            add("Other " + VERSIONS.getOrDefault(key, key) + ": " + one + " before, " + other + " after.");
        }
    }

    /** Two recordings of unlike length may hold the same program: only their work tells. */
    private void work(Unit unit) {
        double one = operations(before, unit.before());
        double other = operations(after, unit.after());
        if (Math.abs(one - other) > SAME_WORK * Math.max(one, other)) {
            add("Other amount of work: " + Units.quantity(one, "count") + " device operations" + per(unit) + " before, "
                    + Units.quantity(other, "count") + " after.");
        }
    }

    private static String per(Unit unit) {
        return unit.isStep() ? " per step" : "";
    }

    private static double operations(Side side, Unit.Extent extent) {
        Timeline timeline = side.timeline();
        long count = 0;
        for (int row = 0; row < timeline.rowCount(); row++) {
            count += timeline.kind(row).isDeviceOperation()
                            && timeline.startNs(row) >= extent.stretch().startNs()
                            && timeline.startNs(row) < extent.stretch().endNs()
                    ? 1
                    : 0;
        }
        return count / extent.count();
    }

    private void trust(String name, Side side) {
        for (TrustCheck check : side.report().trust()) {
            if (!check.passed() && !check.withholds()) {
                add("Trust check " + check.check() + " failed " + name + ": " + check.detail() + ".");
            }
        }
        if (side.report().verdict().bound() == Bound.WITHHELD && !side.isDistrusted()) {
            add("No verdict " + name + ": " + side.report().verdict().claim());
        }
    }

    private void add(String sentence) {
        cautions.add(sentence.endsWith("..") ? sentence.substring(0, sentence.length() - 1) : sentence);
    }

    /** Returns whether both recordings name what they hold and no name is in both. */
    static boolean nothingInCommon(Side before, Side after) {
        boolean compared = false;
        for (RowKind kind : NAMED) {
            Set<String> one = names(before.timeline(), kind);
            Set<String> other = names(after.timeline(), kind);
            compared |= !one.isEmpty() && !other.isEmpty();
            if (one.stream().anyMatch(other::contains)) {
                return false;
            }
        }
        return compared;
    }

    private static Set<String> names(Timeline timeline, RowKind kind) {
        boolean[] seen = new boolean[timeline.nameCount()];
        Set<String> names = new HashSet<>();
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (timeline.kind(row) == kind && !seen[timeline.nameId(row)]) {
                seen[timeline.nameId(row)] = true;
                names.add(Names.likeness(timeline.name(row)));
            }
        }
        return names;
    }
}
