package io.inferscope.collectors.jvm;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

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

    private static final String SETTINGS = "inferscope.jfc";

    /** Returns the file that holds the settings: which events a JVM records. */
    Path settings() {
        return folder.resolve(SETTINGS);
    }

    /** Writes the file of settings if it does not exist. */
    void writeSettings() throws IOException {
        if (!Files.exists(settings())) {
            try (InputStream in = Objects.requireNonNull(RecordingPlan.class.getResourceAsStream(SETTINGS))) {
                Files.write(settings(), in.readAllBytes());
            }
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
}
