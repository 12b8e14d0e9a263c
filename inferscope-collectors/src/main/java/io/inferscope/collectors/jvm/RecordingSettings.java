package io.inferscope.collectors.jvm;

import java.util.List;
import java.util.Map;

/**
 * The events that a JVM records: executed code, waits and pauses. Event names: JDK, jdk.jfr's metadata.xml. Events with
 * the environment, the system properties or the command line (jdk.JVMInformation) are left out, because they may
 * contain secrets.
 */
final class RecordingSettings {
    private static final String SAMPLE_PERIOD = "10 ms";
    private static final String WAIT_THRESHOLD = "1 ms";

    private static final List<String> SAMPLES = List.of("jdk.ExecutionSample", "jdk.NativeMethodSample");

    private static final List<String> WAITS = List.of(
            "jdk.JavaMonitorEnter",
            "jdk.JavaMonitorWait",
            "jdk.ThreadPark",
            "jdk.ThreadSleep",
            "jdk.SocketRead",
            "jdk.SocketWrite",
            "jdk.FileRead",
            "jdk.FileWrite",
            "jdk.FileForce",
            "jdk.ZAllocationStall");

    private static final List<String> PAUSES =
            List.of("jdk.GarbageCollection", "jdk.GCPhasePause", "jdk.ExecuteVMOperation");

    private static final List<String> OTHERS =
            List.of("jdk.ThreadStart", "jdk.ThreadEnd", "jdk.GCHeapSummary", "jdk.ActiveSetting", "jdk.DataLoss");

    private RecordingSettings() {}

    /** Returns the settings as a .jfc file. */
    static String text() {
        StringBuilder text = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
                .append("<configuration version=\"2.0\" label=\"InferScope\" provider=\"InferScope\">\n");
        SAMPLES.forEach(name -> event(text, name, Map.of("period", SAMPLE_PERIOD)));
        WAITS.forEach(name -> event(text, name, Map.of("threshold", WAIT_THRESHOLD, "stackTrace", "true")));
        PAUSES.forEach(name -> event(text, name, Map.of("threshold", "0 ms")));
        OTHERS.forEach(name -> event(text, name, Map.of()));
        event(text, "jdk.CPULoad", Map.of("period", "1 s"));
        return text.append("</configuration>\n").toString();
    }

    private static void event(StringBuilder text, String name, Map<String, String> settings) {
        text.append("  <event name=\"")
                .append(name)
                .append("\">\n")
                .append("    <setting name=\"enabled\">true</setting>\n");
        settings.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(setting -> text.append("    <setting name=\"")
                        .append(setting.getKey())
                        .append("\">")
                        .append(setting.getValue())
                        .append("</setting>\n"));
        text.append("  </event>\n");
    }
}
