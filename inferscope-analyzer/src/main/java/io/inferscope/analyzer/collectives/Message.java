package io.inferscope.analyzer.collectives;

import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.work.ElementType;
import io.inferscope.analyzer.work.Operands;
import io.inferscope.analyzer.work.Tensor;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Timeline;
import java.util.List;
import java.util.Locale;

/**
 * The data that one collective sends, recorded by PyTorch's profiler as arguments of the kernel ({@code Collective
 * name}, {@code In msg nelems} and the like, from version 2.2 on) or of the range {@code nccl:all_reduce} around its
 * launch, or by NCCL itself as the payload of its NVTX range there.
 *
 * @param name {@code allreduce}; empty where it is not recorded
 * @param group name of the process group, equal on all its ranks; empty if not recorded
 * @param ranks how many take part, 0 where that is not recorded
 * @param bytes size of the message; of all ranks together if each rank gathers or scatters the whole; -1 if not
 *     recorded
 */
public record Message(String name, String group, long ranks, long bytes) {
    /** Nothing is recorded. */
    static final Message UNKNOWN = new Message("", "", 0, -1);

    /** Returns the message of a collective's kernel. */
    static Message of(Timeline timeline, int kernel) {
        return timeline.attributeText(kernel, Attribute.COLLECTIVE).isEmpty()
                ? around(timeline, timeline.links().launchOf(kernel))
                : recorded(timeline, kernel);
    }

    /** Returns what the attributes of a kernel or a range tell. */
    private static Message recorded(Timeline timeline, int row) {
        String name = timeline.attributeText(row, Attribute.COLLECTIVE);
        long elements = timeline.attribute(row, Attribute.MESSAGE_ELEMENTS);
        if (elements == Attribute.ABSENT) {
            return new Message(name, "", 0, -1);
        }
        long ranks = Math.max(0, timeline.attribute(row, Attribute.GROUP_SIZE));
        String group = timeline.attributeText(row, Attribute.GROUP_NAME);
        return sized(name, group, ranks, elements, timeline.attributeText(row, Attribute.ELEMENT_TYPE));
    }

    private static Message around(Timeline timeline, int launch) {
        Message told = UNKNOWN;
        for (int row = launch; row >= 0; row = timeline.parent(row)) {
            if (told.bytes < 0 && timeline.attribute(row, Attribute.COLLECTIVE) != Attribute.ABSENT) {
                told = recorded(timeline, row);
            }
            if (NameRole.COLLECTIVE_RANGE.in(timeline.name(row))) {
                String types =
                        timeline.attributeText(row, Attribute.INPUT_TYPES).replaceAll("[\\[\\]]", "");
                List<Tensor> sent = Operands.of(timeline.attributeText(row, Attribute.INPUT_DIMS), "", "")
                        .tensors();
                long elements = sent.size() == 1 ? (long) sent.get(0).elements() : -1;
                // PyTorch adds sender and receiver: "send 0->1".
                String range = timeline.name(row);
                String name = range.substring(range.indexOf(':') + 1).split(" ", 2)[0];
                return told.bytes >= 0
                        ? new Message(name, told.group, told.ranks, told.bytes)
                        : sized(name, "", 0, elements, types);
            }
        }
        return told;
    }

    static Message sized(String name, String group, long ranks, long elements, String type) {
        int bytesEach = Math.max(
                ElementType.of(type).sizeBytes(),
                ElementType.of(type.toLowerCase(Locale.ROOT)).sizeBytes());
        boolean gathers = plain(name).contains("gather");
        boolean known = elements >= 0 && bytesEach > 0 && !(gathers && ranks == 0);
        return new Message(name, group, ranks, known ? elements * bytesEach * (gathers ? ranks : 1) : -1);
    }

    private static String plain(String name) {
        return name.replace("_", "").toLowerCase(Locale.ROOT);
    }

    /** Returns whether it goes from one rank to another, so not the whole group takes part. */
    boolean isPointToPoint() {
        return plain(name).equals("send") || plain(name).equals("recv");
    }

    /**
     * Returns the bytes that each link carries per byte of the message, by the formulas of nccl-tests ({@code
     * doc/PERFORMANCE.md}); NaN if the number of participants is unknown.
     */
    double busFactor(long participants) {
        if (participants < 2) {
            return Double.NaN;
        }
        double others = (participants - 1.0) / participants;
        String plain = plain(name);
        if (plain.contains("allreduce")) {
            return 2 * others;
        }
        return plain.contains("gather") || plain.contains("scatter") || plain.contains("alltoall") ? others : 1;
    }
}
