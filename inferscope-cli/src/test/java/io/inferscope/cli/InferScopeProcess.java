package io.inferscope.cli;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The program as users start it: a JVM of its own, in a folder of its own. */
public final class InferScopeProcess {
    private final Path folder;
    private final List<String> before;

    /** How it ended. */
    @SuppressWarnings("ArrayRecordComponent") // Handed over, never compared.
    public record Result(int exitCode, byte[] stdout, String stderr) {
        public String out() {
            return new String(stdout, StandardCharsets.UTF_8);
        }
    }

    public InferScopeProcess(Path folder, String... before) {
        this.folder = folder;
        this.before = List.of(before);
    }

    /** Returns the words that start InferScope with the given arguments. */
    public List<String> words(String... arguments) {
        List<String> words = new ArrayList<>(before);
        words.addAll(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:TieredStopAtLevel=1",
                "-XX:C1MaxInlineSize=10", // Most code runs too rarely to be worth inlining, or compiling.
                "-XX:CompileThresholdScaling=4",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:ArchiveRelocationMode=0", // As the launcher does.
                "-XX:+UseSerialGC",
                "-XX:-MaxFDLimit",
                "-XX:-UsePerfData",
                "-Xshare:auto",
                "--enable-native-access=ALL-UNNAMED",
                "-Dfile.encoding=UTF-8",
                // Whatever GPUs the machine has: those whose device files the test makes below root/dev.
                "-Dinferscope.root=" + folder.resolve("root")));
        words.addAll(StartArchive.words());
        words.add("io.inferscope.cli.Main");
        words.addAll(List.of(arguments));
        return words;
    }

    public ProcessBuilder builder(String... arguments) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(words(arguments)).directory(folder.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("INFERSCOPE_"));
        Path input = folder.resolve(".stdin");
        if (!Files.exists(input)) {
            Files.createFile(input);
        }
        return builder.redirectInput(input.toFile())
                .redirectOutput(folder.resolve(".stdout").toFile())
                .redirectError(folder.resolve(".stderr").toFile());
    }

    public Result run(String... arguments) throws IOException, InterruptedException {
        return await(builder(arguments).start());
    }

    /** Runs a command in this JVM, at a small part of a start's cost: for what needs no process of its own, such as options that are refused. */
    public static Result here(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode =
                Main.run(Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err)), arguments);
        return new Result(exitCode, out.toString().getBytes(StandardCharsets.UTF_8), err.toString());
    }

    public Result await(Process process) throws IOException, InterruptedException {
        int exitCode = process.waitFor();
        return new Result(
                exitCode, Files.readAllBytes(folder.resolve(".stdout")), Files.readString(folder.resolve(".stderr")));
    }

    /** Waits until the program has written {@code text} to its standard output. */
    public void awaitOutput(Process process, String text) throws IOException, InterruptedException {
        while (!Files.readString(folder.resolve(".stdout")).contains(text)) {
            if (!process.isAlive()) {
                throw new AssertionError("ended early: " + Files.readString(folder.resolve(".stderr")));
            }
            Thread.sleep(10);
        }
    }

    /** Returns the ids of the processes of which a recording that goes on has stored states of threads so far. */
    public static Set<String> stored(Path spools) {
        Set<String> stored = new HashSet<>();
        try {
            Timeline timeline = CoreFormats.load(spools);
            for (int row = 0; row < timeline.rowCount(); row++) {
                if (timeline.kind(row) == RowKind.THREAD_STATE) {
                    int process = timeline.tracks().get(timeline.track(row)).parent();
                    stored.add(timeline.tracks().get(process).key());
                }
            }
        } catch (ImportException hardlyBegun) {
            return Set.of();
        }
        return stored;
    }
}
