package io.inferscope.collectors.jvm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Settings for the recordings of JVMs.
 *
 * @param folder the spool folder
 * @param maxBytes size limit per JVM; above it the JVM drops the oldest events
 * @param maxSeconds after which a recording ends by itself, in case InferScope is killed; 0 for never
 * @param keepRepository whether JVMs may keep unfinished recordings in the spool folder
 */
public record RecordingPlan(Path folder, long maxBytes, long maxSeconds, boolean keepRepository) {
    /** Name of the recording in the JVM; another InferScope may have one there too. */
    static final String NAME = "inferscope-" + ProcessHandle.current().pid();

    /** Returns the file that holds the settings. */
    Path settings() {
        return folder.resolve("inferscope.jfc");
    }

    /** Writes the file of settings if it does not exist. */
    void writeSettings() throws IOException {
        if (!Files.exists(settings())) {
            Files.writeString(settings(), RecordingSettings.text());
        }
    }

    /**
     * Returns the options, for JDK_JAVA_OPTIONS, that make a JVM record from its start. They name only a folder,
     * because several JVMs may use them; each JVM names its file itself.
     *
     * @throws IllegalArgumentException if the spool folder's path cannot be written in the options
     */
    public String startOptions() throws IOException {
        String path = folder.toAbsolutePath().toString();
        if (!path.matches("[^\\s\"',]+")) {
            throw new IllegalArgumentException("the path " + path + " holds a blank, a comma or a quotation mark");
        }
        writeSettings();
        return "-XX:StartFlightRecording=name=" + NAME + ",settings="
                + settings().toAbsolutePath() + ",filename=" + path + ",dumponexit=true,maxsize=" + maxBytes
                + " -Xlog:jfr+startup=error";
    }

    /**
     * The events that a JVM records: executed code, waits and pauses. Event names: JDK, jdk.jfr's metadata.xml. Events with
     * the environment, the system properties or the command line (jdk.JVMInformation) are left out, because they may
     * contain secrets.
     */
    private static final class RecordingSettings {
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
}
