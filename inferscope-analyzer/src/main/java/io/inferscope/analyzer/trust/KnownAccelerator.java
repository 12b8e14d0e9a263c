package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.knowledge.DeviceOperators;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.ProcessFact;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** A program that uses an accelerator must not be judged as CPU-only, even if no usable device work is recorded. */
final class KnownAccelerator extends Check {
    private static final int MOST_OPERATORS = 3;

    @Override
    TrustCheck of(RecordingFacts recorded) {
        List<String> users = recorded.hasDevices() ? List.of() : deviceUsers(recorded.timeline());
        if (!users.isEmpty()) {
            return fail(
                    true,
                    "a GPU is in use (" + String.join(", ", users)
                            + ") and nothing that it did is recorded; this is not a CPU-only program, and its device's busy and idle"
                            + " time are not known",
                    RecordingRemedy.of("unseen").again());
        }
        DeviceOperators.Seen unseen = recorded.analysis().operatorsOfUnseenDevice();
        if (!unseen.names().isEmpty()) {
            List<String> first = unseen.names()
                    .subList(0, Math.min(MOST_OPERATORS, unseen.names().size()));
            return fail(
                    true,
                    "operators run on a " + unseen.device() + " (" + String.join(", ", first)
                            + ") and nothing that it did is recorded; this is not a CPU-only program, and its device's busy and idle"
                            + " time are not known",
                    recorded.recorder().again());
        }
        String untraced = recorded.timeline().properties().getOrDefault(TimelineInfo.UNTRACED, "");
        if (!untraced.isEmpty() && !recorded.hasDevices() && recorded.analysis().apiCalls().length == 0) {
            return fail(
                    true,
                    "the machine has a GPU (" + untraced
                            + "), and neither its work nor a call of its runtime is recorded: time in which the program waits for it would"
                            + " count as its own"
                            + says(recorded),
                    recorded.recorder().again());
        }
        String unknown = recorded.timeline().properties().getOrDefault(TimelineInfo.UNKNOWN_LANES, "");
        if (!unknown.isEmpty() && !recorded.hasDevices()) {
            return fail(
                    true,
                    "nothing shows whether " + unknown
                            + " are threads or queues of a device: their ranges have no category and never nest",
                    "label each process by an event such as {\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":1,\"args\":"
                            + "{\"labels\":\"GPU 0\"}}, or \"CPU\", and analyze that: `inferscope analyze FILE`");
        }
        if (!recorded.analysis().hasOtherAccelerator()) {
            List<String> silent = recorded.hasDevices() ? withoutKernels(recorded) : List.of();
            if (!silent.isEmpty()) {
                return fail(
                        false,
                        "the program allocates memory on device " + String.join(", ", silent)
                                + " and no kernel of theirs is recorded: their busy and idle time are not known",
                        recorded.recorder().again());
            }
            return pass("every event category is known" + says(recorded));
        }
        String categories = Arrays.stream(recorded.analysis().rows(RowKind.OTHER))
                .mapToObj(row -> recorded.timeline().attributeText(row, Attribute.DETAIL))
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        return fail(
                !recorded.hasDevices(),
                "events of categories that this version cannot place on a device: " + categories
                        + "; this is not a CPU-only program, and its device's busy and idle time are not known",
                "read the host side only, as `inferscope run -- COMMAND` records it, or record with a tool whose device categories"
                        + " are kernel and gpu_memcpy");
    }

    /** Quotes what the recorder says of its recording of devices. */
    private static String says(RecordingFacts recorded) {
        String said = recorded.timeline().properties().getOrDefault(TimelineInfo.RECORDER_SAYS, "");
        return said.isEmpty() ? "" : "; the recorder says: \"" + said + '"';
    }

    /** Returns the devices on which memory is allocated, and which run no recorded kernel although others do. */
    private static List<String> withoutKernels(RecordingFacts recorded) {
        Set<String> busy = recorded.analysis().devices().stream()
                .filter(device -> device.compute().count() > 0
                        || device.exposed(LedgerClass.GPU_COMMUNICATION).count() > 0)
                // Devices of merged recordings are called "rank 0: 1".
                .map(device -> device.id().substring(device.id().lastIndexOf(' ') + 1))
                .collect(Collectors.toSet());
        return busy.isEmpty()
                ? List.of()
                : recorded.timeline().properties().keySet().stream()
                        .filter(property -> property.startsWith(TimelineInfo.ALLOCATES))
                        .map(property -> property.substring(TimelineInfo.ALLOCATES.length()))
                        .filter(device -> !busy.contains(device))
                        .sorted(Order.comparing(String::length).thenComparing(device -> device))
                        .toList();
    }

    /** Returns the processes that the host collector saw with a GPU's device file mapped. */
    private static List<String> deviceUsers(Timeline timeline) {
        return ProcessFact.DEVICE.all(timeline).entrySet().stream()
                .map(device -> "process " + device.getKey() + ": " + device.getValue())
                .toList();
    }
}
