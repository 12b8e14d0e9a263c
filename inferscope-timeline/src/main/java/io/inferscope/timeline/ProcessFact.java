package io.inferscope.timeline;

import java.util.SortedMap;
import java.util.TreeMap;

/** A fact about a process: a property {@code process.PID.NAME} of the recording. */
public enum ProcessFact {
    /** The process that started it. */
    PARENT("parent"),
    /** Its language and version, such as {@code CPython 3.12.3}. */
    RUNTIME("runtime"),
    /** The libraries that it loaded, with versions. */
    VERSIONS("versions"),
    /** What it does for an inference engine. */
    ROLE("role"),
    /** The GPUs whose device files it has mapped. */
    DEVICE("device"),
    /** How many CPUs it may use. */
    CPUS("host.cpus"),
    /** The memory node on which it ran for most of its CPU time, -1 for none. */
    NODE("host.numa.node"),
    TORCH_BUILD("torch.build"),
    /** What that build computes on: {@code CPU}, or the toolkit with its version. */
    TORCH_TARGET("torch.target"),
    /** Its probe stores each record twice in every second period of sampling, so that the cost shows. */
    TWICE("probe.twice"),
    /** The execution providers of a session of ONNX Runtime. */
    PROVIDERS("onnxruntime.providers"),
    /** Those that its build offers. */
    PROVIDERS_OFFERED("onnxruntime.providers.offered");

    private static final String PROCESS = "process.";

    private final String name;

    ProcessFact(String name) {
        this.name = name;
    }

    /** Returns the property of a process. */
    public String property(String pid) {
        return property(pid, name);
    }

    /** Returns the property of a process with a name that is none of these facts'. */
    public static String property(String pid, String name) {
        return PROCESS + pid + '.' + name;
    }

    /** Returns the fact about the process of a track; empty if it is not recorded, and for track -1. */
    public String of(Timeline timeline, int process) {
        return process < 0 ? "" : of(timeline, timeline.tracks().get(process).key());
    }

    /** Returns the fact about a process, empty if it is not recorded. */
    public String of(Timeline timeline, String pid) {
        return timeline.properties().getOrDefault(property(pid), "");
    }

    /** Returns whether a process is recorded as a JVM. */
    public static boolean isJvm(Timeline timeline, int process) {
        return RUNTIME.of(timeline, process).startsWith("JVM");
    }

    /** Returns the fact about every process of which it is recorded, by process. */
    public SortedMap<String, String> all(Timeline timeline) {
        SortedMap<String, String> all = all(timeline, PROCESS, '.' + name);
        all.keySet().removeIf(pid -> pid.indexOf('.') >= 0); // Of a longer name with the same end.
        return all;
    }

    /** Returns the properties with a begin and an end by what stands between. */
    static SortedMap<String, String> all(Timeline timeline, String begin, String end) {
        SortedMap<String, String> all = new TreeMap<>();
        timeline.properties().forEach((key, value) -> {
            if (key.startsWith(begin) && key.endsWith(end) && key.length() > begin.length() + end.length()) {
                all.put(key.substring(begin.length(), key.length() - end.length()), value);
            }
        });
        return all;
    }
}
