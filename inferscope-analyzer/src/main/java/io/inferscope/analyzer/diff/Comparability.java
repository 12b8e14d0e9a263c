package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds reasons other than the program itself why two recordings differ. */
final class Comparability {
    /** Work that differs by more than this ratio is not the same work. */
    private static final double SAME_WORK = 0.10;

    /** A larger change of the share of time without a CPU may make a program look faster or slower. */
    private static final double SAME_SUPPLY = 0.10;

    /** Properties of recordings with versions of the software below the program, by Kineto's keys. */
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
        if (before instanceof RecordedSide one && after instanceof RecordedSide other) {
            found.recorders(one, other);
            found.work(unit, operations(one, unit.before()), operations(other, unit.after()));
        } else {
            found.reports(before.reported(), after.reported());
        }
        found.processors(starved(before, unit.before()), starved(after, unit.after()));
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
            add("Different device: " + (one.isEmpty() ? "not recorded" : one) + " before, "
                    + (other.isEmpty() ? "not recorded" : other) + " after.");
        }
        int devices = before.report().rows(Report.DEVICES).size();
        if (devices != after.report().rows(Report.DEVICES).size()) {
            add("Different number of devices: " + devices + " before, "
                    + after.report().rows(Report.DEVICES).size() + " after.");
        }
    }

    private void recorders(RecordedSide one, RecordedSide other) {
        if (!one.format().equals(other.format())) {
            add("Recorded by different tools: " + one.format() + " before, " + other.format()
                    + " after; they do not see the same.");
        }
        if (one.analysis().pythonStacksRecorded() != other.analysis().pythonStacksRecorded()) {
            add("Python functions were recorded one by one only "
                    + (one.analysis().pythonStacksRecorded() ? "before" : "after")
                    + ", which inflates the host's time there.");
        }
        VERSIONS.keySet().stream().sorted().forEach(key -> version(key, one.timeline(), other.timeline()));
        if (!one.timeline().instantsAreRecorded() || !other.timeline().instantsAreRecorded()) {
            add("A recording holds averages laid end to end, not instants: it has no idle time and no overlap.");
        }
    }

    private void version(String key, Timeline before, Timeline after) {
        String one = before.properties().getOrDefault(key, "");
        String other = after.properties().getOrDefault(key, "");
        if (!one.isEmpty() && !other.isEmpty() && !one.equals(other)) {
            add("Other " + VERSIONS.getOrDefault(key, key) + ": " + one + " before, " + other + " after.");
        }
    }

    /** Warns of what reports lack. */
    private void reports(ReportedSide one, ReportedSide other) {
        add(
                "JSON reports hold no single durations, so noise cannot be judged. They do not name the recorder or the versions of the software, and hold kernels, copies, operators and annotations of the whole recording only.");
        if (one.isCut() || other.isCut()) {
            add(
                    "A report lists the " + ReportedSide.MOST_NAMES
                            + " longest kernels and operators: a name that looks new or gone may only have dropped out of that list.");
        }
    }

    /** Compares the amounts of work. Recordings of different length may hold the same work per unit. */
    private void work(Unit unit, double one, double other) {
        if (Math.abs(one - other) > SAME_WORK * Math.max(one, other)) {
            add("Different amount of work: " + Units.quantity(one, "count") + " device operations"
                    + (unit.isDivided() ? " per " + unit.kind().id() : "") + " before, "
                    + Units.quantity(other, "count") + " after.");
        }
    }

    /** Compares the time without a CPU. Other programs that use the CPUs slow each step. */
    private void processors(double one, double other) {
        if (Math.abs(one - other) >= SAME_SUPPLY) {
            add("Different supply of CPUs: " + Units.percent(one)
                    + " of the time was spent ready but without one before, "
                    + Units.percent(other)
                    + " after. If other programs used them, compare again on a quiet machine.");
        }
    }

    private static double starved(Side side, Unit.Extent extent) {
        return side.ledger(extent.part())
                .map(ledger -> ledger.share(LedgerClass.WAIT_RUN_QUEUE))
                .orElse(0.0);
    }

    private static double operations(RecordedSide side, Unit.Extent extent) {
        Timeline timeline = side.timeline();
        long count = timeline.rows()
                .filter(row -> timeline.kind(row).isDeviceOperation())
                .filter(row -> extent.stretch().holds(timeline.startNs(row)))
                .count();
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

    /** Returns whether both recordings have named entities but share no name. */
    static boolean nothingInCommon(Side before, Side after) {
        List<Set<String>> one = names(before);
        List<Set<String>> other = names(after);
        boolean compared = false;
        for (int i = 0; i < one.size(); i++) {
            compared |= !one.get(i).isEmpty() && !other.get(i).isEmpty();
            if (one.get(i).stream().anyMatch(other.get(i)::contains)) {
                return false;
            }
        }
        return compared;
    }

    /** Returns the stable parts of names, by kind of entity. */
    private static List<Set<String>> names(Side side) {
        if (side instanceof RecordedSide recorded) {
            return NAMED.stream().map(kind -> names(recorded.timeline(), kind)).toList();
        }
        return Stream.of(EntityKind.KERNELS, EntityKind.OPERATORS, EntityKind.ANNOTATIONS, EntityKind.REQUESTS)
                .map(things -> side.durations(things, side.report().window()).keySet().stream()
                        .map(StableNames::likeness)
                        .collect(Collectors.toSet()))
                .toList();
    }

    private static Set<String> names(Timeline timeline, RowKind kind) {
        return timeline.rows()
                .filter(row -> timeline.kind(row) == kind && !timeline.isCaptured(row))
                .map(timeline::nameId)
                .distinct()
                .mapToObj(name -> StableNames.likeness(timeline.text(name)))
                .collect(Collectors.toSet());
    }
}
