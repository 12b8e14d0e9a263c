package io.inferscope.collectors.jvm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** One JVM's flight recording, ended by the JVM or by {@link #stop}. Its file is in the spool folder. */
final class FlightRecording {
    /** Output of JFR.check if the user has no recording, which a changed repository might disturb. */
    private static final String UNUSED = "No available recordings";

    private static final String TEMPORARY = "java.io.tmpdir=";

    private final ProcessView process;
    private final Path folder;
    private final Path file;
    private final Path repository;
    private final String ownName;

    /** Whether the JVM's repository was moved to the spool folder, which will be deleted. */
    private boolean repositoryMoved;

    private FlightRecording(ProcessView process, Path folder) {
        this.process = process;
        this.folder = folder;
        ownName = "hotspot-pid-" + process.innerPid() + "-";
        file = folder.resolve("jvm-" + process.pid() + ".jfr");
        repository = folder.resolve("jvm-" + process.pid());
    }

    /**
     * Starts a recording that the JVM itself completes when it ends.
     *
     * @throws AttachRefused if that fails
     */
    static FlightRecording start(ProcessView process, RecordingPlan plan) throws AttachRefused {
        FlightRecording recording = new FlightRecording(process, plan.folder());
        AttachChannel channel = new AttachChannel(process);
        String known = channel.execute("JFR.check");
        if (known.contains("name=" + RecordingPlan.NAME)) {
            return recording; // It was started together with the JVM.
        }
        if (plan.keepRepository() && known.contains(UNUSED)) {
            channel.execute("JFR.configure repositorypath=" + quoted(recording.repository));
            recording.repositoryMoved = true;
        }
        String limit = plan.maxSeconds() > 0 ? " duration=" + plan.maxSeconds() + "s" : "";
        String said = channel.execute("JFR.start name=" + RecordingPlan.NAME + " settings=" + quoted(plan.settings())
                + " filename=" + quoted(recording.file) + " dumponexit=true maxsize=" + plan.maxBytes() + limit);
        if (!said.contains("Started recording")) {
            throw new AttachRefused("it answered: " + said.strip());
        }
        return recording;
    }

    private static String quoted(Path path) throws AttachRefused {
        String text = path.toAbsolutePath().toString();
        if (text.indexOf('"') >= 0) {
            throw new AttachRefused("the path of the spool folder holds a quotation mark");
        }
        return '"' + text + '"';
    }

    int pid() {
        return process.pid();
    }

    /** Ends the recording if the JVM still runs; returns why that failed, empty on success. */
    String stop() {
        if (!process.isAlive()) {
            return "";
        }
        try {
            AttachChannel channel = new AttachChannel(process);
            channel.execute("JFR.stop name=" + RecordingPlan.NAME + " filename=" + quoted(file));
            if (repositoryMoved) {
                channel.execute("JFR.configure repositorypath=" + quoted(temporaryFolder(channel)));
            }
            return "";
        } catch (AttachRefused e) {
            return process.isAlive() ? String.valueOf(e.getMessage()) : "";
        }
    }

    /**
     * Returns the JVM's default folder for unfinished recordings: jdk.jfr.internal.Repository, base path
     * java.io.tmpdir.
     */
    private static Path temporaryFolder(AttachChannel channel) throws AttachRefused {
        return channel.execute("VM.system_properties")
                .lines()
                .filter(line -> line.startsWith(TEMPORARY))
                .map(line -> Path.of(line.substring(TEMPORARY.length())))
                .findFirst()
                .orElse(Path.of("/tmp"));
    }

    /** Returns whether the JVM left a part of a recording, which it flushes once a second. */
    boolean isPartial() {
        try (Stream<Path> files = Files.walk(repository)) {
            return files.anyMatch(left -> left.toString().endsWith(".jfr"));
        } catch (IOException | UncheckedIOException missing) {
            return false;
        }
    }

    /**
     * Returns whether the JVM completed its recording. A recording that was started with the JVM has a name chosen by
     * the JVM.
     */
    boolean isComplete() {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(path ->
                            path.equals(file) || path.getFileName().toString().startsWith(ownName))
                    .anyMatch(path -> path.toFile().length() > 0);
        } catch (IOException | UncheckedIOException missing) {
            return false;
        }
    }
}
