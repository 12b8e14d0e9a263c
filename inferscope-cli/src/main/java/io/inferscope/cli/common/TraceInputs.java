package io.inferscope.cli.common;

import io.inferscope.formats.Formats;
import io.inferscope.formats.archive.InputFiles;
import io.inferscope.timeline.Garbage;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.files.FileProblem;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.load.Importers.Input;
import java.io.IOException;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;

/** The recordings that a command reads: one, or several that become one timeline. */
public final class TraceInputs extends Options {
    /**
     * Heap that reading and explaining take, in bytes per byte of JSON. The least heap was 0.2 for Kineto traces with 413
     * bytes an event and 0.31 with 269 bytes (docs/evidence/performance.md). Smaller events need more.
     */
    private static final double HEAP_PER_BYTE = 0.35;

    private static final Pattern OFFSET = Pattern.compile("(.+)=([+-]?[0-9]+(?:\\.[0-9]+)?)(ns|us|ms|s)");
    private static final Map<String, Integer> NANO_DIGITS = Map.of("ns", 0, "us", 3, "ms", 6, "s", 9);

    private final PositionalParamSpec files = add(CommandSpecs.several(
            "TRACE",
            Path.class,
            "A recording of any known format, recognised by its content: Kineto / Chrome JSON, Nsight Systems, rocprofv3,"
                    + " ONNX Runtime, JAX, TensorRT, speedscope, JFR, a spool folder... Or what contains recordings: a folder,"
                    + " .gz, .zst, .xz, .bz2, .zip, .tar.gz, - for standard input. Several become one timeline."));

    private final OptionSpec offsets = add(CommandSpecs.list(
                    "--offset=TRACE=TIME",
                    String.class,
                    "Add TIME (as +12.5ms; ns, us, ms, s) to the times of TRACE, if nothing else relates its clock to the"
                            + " first trace's.")
            .build());

    private final OptionSpec strict = add(strict());

    /** Returns the option that refuses damaged input. */
    public static OptionSpec strict() {
        return CommandSpecs.flag("--strict", "Refuse damaged input instead of using what is intact (exit code 3).");
    }

    public TraceInputs(CommandSpec spec) {
        super(spec);
    }

    public List<Path> files() {
        return files.getValue();
    }

    /** Returns the title for all recordings together: the first one's name without folders. */
    public String title() {
        String others = files().size() > 1 ? " and " + (files().size() - 1) + " more" : "";
        return title(files().get(0)) + others;
    }

    /** Returns the title of a recording: its name without folders. */
    public static String title(Path file) {
        if (file.equals(InputFiles.STANDARD_INPUT)) {
            return "standard input";
        }
        Path name = file.getFileName();
        return name == null ? file.toString() : name.toString();
    }

    /**
     * Reads the recordings.
     *
     * @throws ParameterException if an offset is invalid
     * @throws ImportException if one cannot be used, or is damaged and {@code --strict} is given
     */
    public Timeline load() throws ImportException {
        return load(inputs(), title(), isSet(strict), err());
    }

    /**
     * Reads recordings of one program: files, folders or archives. The recordings found in a folder or an archive are
     * printed first.
     *
     * @throws ImportException if one cannot be used, or is damaged and {@code strict} is set
     */
    public static Timeline load(List<Input> inputs, String title, boolean strict, PrintWriter err)
            throws ImportException {
        try (InputFiles handed = handed(inputs)) {
            tell(handed, title, strict, err);
            memoryNote(
                            ReadProgress.inflatedBytes(
                                    handed.inputs().stream().map(Input::file).toList()),
                            Runtime.getRuntime().maxMemory(),
                            System.getProperty("inferscope.heap.folder", ""))
                    .ifPresent(note -> Log.tell(err, title + ": " + note));
            return load(handed, title, strict);
        }
    }

    /** Takes one recording, and the file that holds it. */
    public interface Each {
        void take(Timeline timeline, Path file) throws IOException;
    }

    /**
     * Reads the recordings one by one, those in a folder or an archive, too.
     *
     * @throws ImportException if one cannot be used, or is damaged and {@code --strict} is given
     */
    public void each(Each each) throws ImportException, IOException {
        boolean refuses = isSet(strict);
        try (InputFiles handed = handed(inputs())) {
            tell(handed, title(), refuses, err());
            for (Input input : handed.inputs()) {
                Timeline timeline = Formats.importers().load(input.file());
                refuse(refuses, title(), timeline.importStats().damage());
                each.take(timeline, input.file());
            }
        }
    }

    /**
     * Returns a note for recordings of that size that may not fit into a heap, both in bytes, or for whose sake the
     * launcher put the heap into a file.
     *
     * @param heapFolder the folder of that file, empty for none
     */
    static Optional<String> memoryNote(long inflatedBytes, long heapBytes, String heapFolder) {
        double neededBytes = HEAP_PER_BYTE * inflatedBytes;
        boolean fits = neededBytes <= heapBytes;
        if (fits && heapFolder.isEmpty()) {
            return Optional.empty();
        }
        String need = String.format(
                Locale.ROOT, "%.1f GB of trace need about %.1f GB of memory", inflatedBytes / 1e9, neededBytes / 1e9);
        return Optional.of(
                fits
                        ? need + ". What memory has no room for is kept in a temporary file in " + heapFolder
                                + ", which takes longer."
                        : String.format(
                                Locale.ROOT,
                                "%s, and the heap is limited to %.1f GB. If that is not enough, raise the limit:"
                                        + " INFERSCOPE_JAVA_OPTS=-Xmx%dg",
                                need,
                                heapBytes / 1e9,
                                (long) Math.ceil(1.2 * neededBytes / (1 << 30))));
    }

    private static InputFiles handed(List<Input> inputs) throws ImportException {
        String programs = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return InputFiles.of(inputs, Formats.importers(), System.in, programs);
    }

    private static void tell(InputFiles handed, String title, boolean strict, PrintWriter err) throws ImportException {
        handed.contents().forEach(line -> Log.tell(err, line));
        if (!handed.damage().isEmpty()) {
            refuse(strict, title, handed.damage());
            Log.tell(err, title + ": " + handed.damage());
        }
    }

    private static Timeline load(InputFiles handed, String title, boolean strict) throws ImportException {
        Timeline timeline;
        try (ReadProgress progress =
                ReadProgress.of(handed.inputs().stream().map(Input::file).toList())) {
            timeline = Formats.importers().load(handed.inputs(), progress);
        } catch (ImportException e) {
            throw e.named(handed.named(FileProblem.oneLine(e)));
        }
        refuse(strict, title, timeline.importStats().damage());
        Garbage.collectAfterReading();
        return timeline;
    }

    private static void refuse(boolean strict, String title, String damage) throws ImportException {
        if (strict && !damage.isEmpty()) {
            throw new ImportException(title, "damaged: " + damage, "leave out --strict to use what is intact");
        }
    }

    /** Prints on standard error which parts of a recording were dropped or repaired. */
    public static void tellDamage(Timeline timeline, String title, CommandSpec spec) {
        String damage = timeline.importStats().damage();
        if (!damage.isEmpty()) {
            Log.tell(spec.commandLine().getErr(), title + ": not everything could be used: " + damage);
        }
    }

    private List<Input> inputs() {
        for (int i = 1; i < files().size(); i++) {
            Path file = files().get(i);
            for (Path other : files().subList(0, i)) {
                if (OutputFiles.isSame(file, other)) {
                    throw misuse(file + " and " + other + " are the same recording; name it once");
                }
            }
        }
        List<Path> offsetFiles = new ArrayList<>();
        List<Long> offsetNs = new ArrayList<>();
        for (String text : Optional.<List<String>>ofNullable(offsets.getValue()).orElse(List.of())) {
            Matcher matcher = OFFSET.matcher(text);
            if (!matcher.matches()) {
                throw misuse("--offset " + text + ": expected TRACE=TIME, such as trace.json=+12.5ms");
            }
            int digits = NANO_DIGITS.getOrDefault(matcher.group(3).toLowerCase(Locale.ROOT), 0);
            offsetFiles.add(Path.of(matcher.group(1)));
            offsetNs.add(new BigDecimal(matcher.group(2)).movePointRight(digits).longValue());
        }
        List<Input> inputs = new ArrayList<>();
        for (Path file : files()) {
            int said = indexOf(file, offsetFiles);
            inputs.add(new Input(file, said < 0 ? null : offsetNs.get(said)));
            if (said >= 0) {
                offsetFiles.remove(said);
                offsetNs.remove(said);
            }
        }
        if (!offsetFiles.isEmpty()) {
            throw misuse("--offset " + offsetFiles.get(0) + ": not one of the inputs");
        }
        return inputs;
    }

    /** Finds an input by its name on the command line, or by its name without folders. */
    private static int indexOf(Path file, List<Path> named) {
        int exact = named.indexOf(file);
        return exact >= 0 ? exact : named.indexOf(file.getFileName());
    }
}
