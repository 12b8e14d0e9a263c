package io.inferscope.collectors.jvm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How JVMs are to record.
 *
 * @param folder the spool folder
 * @param maxBytes cap per JVM; above it the JVM drops what is oldest
 * @param maxSeconds after which a recording ends by itself should InferScope vanish, 0 for never
 * @param keepRepository whether JVMs may keep unfinished recordings in the spool folder
 */
public record RecordingPlan(Path folder, long maxBytes, long maxSeconds, boolean keepRepository) {
    /** Name of the recording in the JVM; another InferScope may have one there too. */
    static final String NAME = "inferscope-" + ProcessHandle.current().pid();

    /** Returns the file that holds the settings. */
    Path settings() {
        return folder.resolve("inferscope.jfc");
    }

    /** Makes sure that the settings' file is there. */
    void writeSettings() throws IOException {
        if (!Files.exists(settings())) {
            Files.writeString(settings(), RecordingSettings.text());
        }
    }

    /**
     * Returns the options that make a JVM record from its start, in the words of JDK_JAVA_OPTIONS. The file is named by the JVM: for
     * several JVMs only a folder can be given.
     *
     * @throws IllegalArgumentException when the spool folder's path cannot be written in them
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
