package io.inferscope.collectors.python;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.host.HostOptions;
import io.inferscope.collectors.host.HostSampler;
import io.inferscope.collectors.host.RootProcess;
import io.inferscope.collectors.os.LinuxMemory;
import io.inferscope.collectors.os.LinuxSystem;
import io.inferscope.scope.spool.SpoolWriter;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.fixture.CoreFormats;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
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

    /** Samples a process and its descendants for as long as {@code meanwhile} runs, at any cost. */
    static StackSamples of(Process process, Path folder, int rateHz, Meanwhile meanwhile) throws Exception {
        LinuxSystem system = new LinuxSystem();
        try (SpoolWriter writer = SpoolWriter.open(folder, "host", 0, 1 << 26)) {
            HostSampler sampler = new HostSampler(
                    system,
                    writer,
                    RootProcess.started((int) process.pid(), System.nanoTime(), ""),
                    new HostOptions(1, rateHz, false, false, 0, 0),
                    new PythonSampler(system, new LinuxMemory(), writer));
            try {
                meanwhile.run();
            } finally {
                sampler.stop(System.nanoTime(), 0);
            }
        }
        return new StackSamples(CoreFormats.load(folder));
    }

    /**
     * Reads what a script says until it is ready: lines of words, by the first behind "stack".
     */
    static Map<String, List<String>> awaitReady(Process program) throws IOException {
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(program.getInputStream(), StandardCharsets.UTF_8));
        Map<String, List<String>> said = new HashMap<>();
        for (String line = lines.readLine(); !"ready".equals(line); line = lines.readLine()) {
            assertThat(line).as("the program ended early").isNotNull();
            List<String> words = List.of(line.split("\u001f", -1));
            said.put(words.get(1), words.subList(2, words.size()));
        }
        return said;
    }

    /** Returns the frames of a row's stack, the outermost first. */
    List<String> stack(int row) {
        return timeline.stacks().frames((int) timeline.attribute(row, Attribute.STACK));
    }

    Timeline timeline() {
        return timeline;
    }

    /** Returns the last stack of each thread by its kernel thread id, the outermost frame first. */
    Map<String, List<String>> last() {
        Map<String, List<String>> stacks = new HashMap<>();
        for (int row : rows()) {
            stacks.put(thread(row), stack(row));
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
