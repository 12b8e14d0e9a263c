package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.files.KnowledgeTable;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How to record again with the recorder that wrote a trace: remedies name its own commands.
 *
 * @param again how to record the same again completely
 * @param inDetail how to record the kernels of a graph one by one, and the host's launch calls
 */
record RecordingRemedy(String again, String inDetail) {
    private static final List<NameRole> VENDORS =
            List.of(NameRole.OF_ASCEND, NameRole.OF_INTEL, NameRole.OF_OTHER_VENDOR);

    /** Read when a remedy is first asked for. */
    private static final class Rows {
        private static final Map<String, RecordingRemedy> ALL =
                KnowledgeTable.read(Knowledge.class, "recorders.tsv", Function.identity()).stream()
                        .collect(Collectors.toMap(cells -> cells[0], cells -> new RecordingRemedy(cells[1], cells[2])));
    }

    /** Returns a row of {@code knowledge/recorders.tsv}. */
    static RecordingRemedy of(String row) {
        return Objects.requireNonNull(Rows.ALL.get(row), row);
    }

    /** Returns the recorder of a recording, by its format and by the vendor of its calls. */
    static RecordingRemedy of(Analysis analysis) {
        String framework = analysis.timeline().properties().getOrDefault(TimelineInfo.FRAMEWORK, "");
        String format = NameRole.TENSORFLOW.in(framework)
                ? "xla"
                : analysis.timeline().info().format();
        RecordingRemedy known = Rows.ALL.get(format);
        if (known != null) {
            return format.equals("xla") && !hasLaunches(analysis) ? of("tpu") : known;
        }
        return callsHip(analysis) ? of("hip") : byName(analysis);
    }

    /** Returns whether recordings of such devices hold launches at all: a TPU runs whole programs. */
    static boolean hasLaunches(Analysis analysis) {
        return analysis.devices().stream()
                .noneMatch(device -> device.track().key().startsWith("TPU"));
    }

    private static RecordingRemedy byName(Analysis analysis) {
        Stream<String> names = analysis.apiCalls().length > 0
                ? analysis.namesOfCalls()
                : analysis.devices().stream().map(device -> analysis.timeline().name(device.row(0)));
        return names.flatMap(name -> VENDORS.stream().filter(vendor -> vendor.in(name)))
                .findFirst()
                .map(vendor -> of(vendor.name()))
                .orElseGet(() -> of("other"));
    }

    /** Every call of AMD's runtime begins with {@code hip}: HIP API reference. */
    private static boolean callsHip(Analysis analysis) {
        return analysis.namesOfCalls().anyMatch(name -> name.startsWith("hip"));
    }
}
