package io.inferscope.collectors.python;

import io.inferscope.collectors.host.HostOptions;
import io.inferscope.collectors.host.HostSampler;
import io.inferscope.collectors.host.Root;
import io.inferscope.collectors.os.LinuxKernel;
import io.inferscope.collectors.os.LinuxMemory;
import io.inferscope.scope.spool.SpoolWriter;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.importer.Importers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The stacks that were stored of a process, read back through the importer. */
final class StackSamples {
    private final Timeline timeline;

    private StackSamples(Timeline timeline) {
        this.timeline = timeline;
    }

    /** What is done while samples are taken. */
    interface Meanwhile {
        void run() throws Exception;
    }

    /** Samples a process and its descendants for as long as {@code meanwhile} runs. */
    static StackSamples of(Process process, Path folder, Meanwhile meanwhile) throws Exception {
        LinuxKernel kernel = new LinuxKernel();
        try (SpoolWriter writer = SpoolWriter.open(folder, "host", 0, 1 << 26)) {
            HostSampler sampler = new HostSampler(
                    kernel,
                    writer,
                    Root.started((int) process.pid(), System.nanoTime(), ""),
                    HostOptions.DEFAULT,
                    new PythonSampler(kernel, new LinuxMemory(), writer));
            try {
                meanwhile.run();
            } finally {
                sampler.stop(System.nanoTime(), 0);
            }
        }
        return new StackSamples(Importers.core().load(folder));
    }

    Timeline timeline() {
        return timeline;
    }

    /** Returns the last stack of each thread by its kernel thread id, the outermost frame first. */
    Map<String, List<String>> last() {
        Map<String, List<String>> stacks = new HashMap<>();
        for (int row : rows()) {
            stacks.put(thread(row), timeline.stacks().frames((int) timeline.attribute(row, Attribute.STACK)));
        }
        return stacks;
    }

    /** Returns all rows that are samples, in the order of their threads and times. */
    List<Integer> rows() {
        List<Integer> rows = new ArrayList<>();
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (timeline.kind(row) == RowKind.STACK_SAMPLE) {
                rows.add(row);
            }
        }
        return rows;
    }

    /** Returns the kernel thread id of a row. */
    String thread(int row) {
        return timeline.tracks().get(timeline.track(row)).key();
    }

    /** Returns what the sampler said of itself. */
    Coverage coverage() {
        return timeline.info().coverage().stream()
                .filter(coverage -> coverage.source().equals("python-stacks"))
                .findFirst()
                .orElseThrow();
    }
}
