package io.inferscope.formats.archive;

import static java.nio.file.StandardOpenOption.CREATE_NEW;

import io.inferscope.formats.common.TemporaryFolder;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.files.FileProblem;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.RefusedInputException;
import io.inferscope.timeline.load.Importers;
import io.inferscope.timeline.load.Importers.Input;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The inputs of a command as files that importers can open. A folder that is not a recording is searched for
 * recordings. Archives, and compressed files that no importer inflates, are unpacked to a temporary folder; a pipe is
 * copied there. Closing removes that folder.
 */
public final class InputFiles implements AutoCloseable {
    /** The name that stands for standard input. */
    public static final Path STANDARD_INPUT = Path.of("-");

    /** Most files in a folder. A folder of recordings has dozens; one with more files is probably a home folder. */
    private static final int MAX_FILES = 10_000;

    private static final int COPIED_HEAD_BYTES = 1 << 20; // The formats are recognised by less.
    private static final long MOST_COPIED_BYTES = 16L << 30; // As of a folder of spools.

    /** Deepest folder that is searched. */
    static final int MAX_DEPTH = 8;

    private final Importers importers;
    private final InputStream standardInput;
    private final String searched;
    private final List<Input> inputs = new ArrayList<>();
    private final List<String> contents = new ArrayList<>();
    private final List<String> damage = new ArrayList<>();
    private final Map<Path, Path> origins = new LinkedHashMap<>();
    private final Set<Path> unpackedInto = new HashSet<>();
    private @Nullable Path temporary;
    private @Nullable Thread atSignal;
    private volatile @Nullable Process converting;
    private volatile boolean isEnding;

    private InputFiles(Importers importers, InputStream standardInput, String searched) {
        this.importers = importers;
        this.standardInput = standardInput;
        this.searched = searched;
    }

    /**
     * Finds the files.
     *
     * @param given the inputs as named by the user; {@code -} is standard input
     * @param searched the folders in which programs lie, as {@code PATH} has them
     * @throws ImportException if one is missing, refused, or contains no recording
     */
    public static InputFiles of(List<Input> given, Importers importers, InputStream standardInput, String searched)
            throws ImportException {
        InputFiles handed = new InputFiles(importers, standardInput, searched);
        try {
            for (Input input : given) {
                handed.take(input);
            }
            return handed;
        } catch (ImportException | RuntimeException e) {
            handed.close();
            throw e;
        }
    }

    /** Returns the files to read. */
    public List<Input> inputs() {
        return inputs;
    }

    /** Returns one line on the contents of each input that is not a recording itself. */
    public List<String> contents() {
        return contents;
    }

    /** Returns what could not be unpacked, empty if everything was. */
    public String damage() {
        return String.join("; ", damage);
    }

    /** Returns a message with the names of unpacked files replaced by their archive's. */
    public String named(String message) {
        String named = message;
        for (Map.Entry<Path, Path> origin : origins.entrySet()) {
            named = named.replace(inside(origin.getKey()), inside(origin.getValue()));
        }
        return named;
    }

    /**
     * Returns a folder's path with a final separator, as the prefix of the files in it: folder 1 must not match folder
     * 10.
     */
    private static String inside(Path folder) {
        return folder + FileSystems.getDefault().getSeparator();
    }

    private void take(Input given) throws ImportException {
        Path path = given.file();
        try {
            if (path.equals(STANDARD_INPUT)) {
                file(given, copied(standardInput, "standard input"));
            } else if (Files.isDirectory(path)) {
                folder(given, path);
            } else if (NsysExport.isReport(path)) {
                inputs.add(given.at(NsysExport.export(path, folderFor(path), searched, this::started)));
            } else if (Files.isRegularFile(path)) {
                file(given, path);
            } else if (Files.exists(path)) {
                try (InputStream in = Files.newInputStream(path)) {
                    file(given, copied(in, String.valueOf(path.getFileName())));
                }
            } else if (isPattern(path)) {
                pattern(given);
            } else {
                inputs.add(given); // The import reports the problem.
            }
        } catch (RefusedInputException e) {
            throw new ImportException(path.toString(), String.valueOf(e.getMessage()), e.remedy(), e);
        } catch (IOException e) {
            throw new ImportException(path.toString(), "cannot be read: " + FileProblem.reason(e), "check the file", e);
        } catch (UncheckedIOException e) {
            throw new ImportException(
                    path.toString(), "cannot be read: " + FileProblem.oneLine(e), "check the folder", e);
        }
    }

    private void file(Input given, Path file) throws IOException, ImportException {
        if (!Packing.isPacked(file)) {
            inputs.add(given.at(file));
            return;
        }
        folder(given, unpacked(file));
    }

    /** Returns the folder into which a file was unpacked. */
    private Path unpacked(Path file) throws IOException {
        boolean copy = temporary != null && file.startsWith(temporary);
        Path into = Files.createDirectory(
                copy
                        ? file.resolveSibling(name(file) + ".unpacked")
                        : folderFor(file).resolve(name(file)));
        unpackedInto.add(into);
        Unpacker unpacker = new Unpacker(Files.size(file));
        unpacker.unpack(file, into);
        damage.addAll(unpacker.damage());
        return into;
    }

    /** Copies an input that can be read only once: only its head if no recording begins like this. */
    private Path copied(InputStream in, String name) throws IOException {
        Path into = folderFor(Path.of(name));
        Path file = into.resolve(name);
        long most = Math.min(MOST_COPIED_BYTES, Files.getFileStore(into).getUsableSpace() / 2);
        try (OutputStream out = Files.newOutputStream(file, CREATE_NEW)) {
            byte[] head = in.readNBytes(COPIED_HEAD_BYTES);
            out.write(head);
            if (head.length == COPIED_HEAD_BYTES && (Packing.isPacked(file) || importers.recognises(file))) {
                copy(in, out, most - head.length, into);
            }
        }
        return file;
    }

    /** Copies up to {@code most} bytes. */
    static void copy(InputStream in, OutputStream out, long most, Path into) throws IOException {
        byte[] part = new byte[COPIED_HEAD_BYTES];
        long left = most;
        for (int count = in.read(part); count >= 0; count = in.read(part)) {
            left -= count;
            if (left < 0) {
                throw new RefusedInputException(
                        "refused after " + (most >> 20) + " MiB of a device or a pipe: not more than "
                                + (MOST_COPIED_BYTES >> 30) + " GiB, nor half of the free space, are copied to " + into,
                        "save it to a file, and name that");
            }
            out.write(part, 0, count);
        }
    }

    /** Takes the recordings in a folder. */
    private void folder(Input given, Path folder) throws IOException, ImportException {
        Search search = new Search(folder);
        search.folder(folder, 0);
        List<Path> recordings = search.recordings;
        String others = search.others.toString();
        if (recordings.isEmpty()) {
            throw new ImportException(
                    given.file().toString(),
                    "holds no recording of a known format" + (others.isEmpty() ? ": it is empty" : ", only " + others),
                    "name a trace file or a folder with some");
        }
        boolean single = recordings.size() == 1;
        if (!single || !recordings.get(0).equals(folder)) {
            contents.add(given.file() + " holds " + (single ? "1 recording: " : recordings.size() + " recordings: ")
                    + NameList.of(recordings.stream().map(search::name).toList())
                    + (others.isEmpty() ? "" : "; left aside: " + others));
        }
        for (Path recording : recordings) {
            inputs.add(single ? given.at(recording) : given.found(recording));
        }
    }

    /** Searches a folder, its folders and the archives in them for recordings. */
    private final class Search {
        private final Path root;
        private final List<Path> recordings = new ArrayList<>();
        private final NameList others = new NameList();
        private int seen;

        Search(Path root) {
            this.root = root;
        }

        void folder(Path folder, int depth) throws IOException, ImportException {
            if (importers.recognises(folder)) {
                recordings.add(folder);
                return;
            }
            for (Path child : children(folder)) {
                if (++seen > MAX_FILES) {
                    throw new ImportException(
                            root.toString(), "holds more than " + MAX_FILES + " files", "name the recording in it");
                }
                if (Files.isDirectory(child)) {
                    if (depth == MAX_DEPTH) {
                        others.add(name(child) + " (nested too deep)");
                    } else if (!Files.isSymbolicLink(child)) {
                        folder(child, depth + 1);
                    }
                } else if (Files.isRegularFile(child) && Files.size(child) > 0) {
                    file(child, depth);
                }
            }
        }

        /** Adds a file of a folder. Unusable files are skipped, because a folder may contain anything. */
        private void file(Path file, int depth) throws ImportException {
            try {
                if (Packing.isPacked(file) && unpackedInto.stream().anyMatch(file::startsWith)) {
                    others.add(name(file) + " (archives nested too deep)"); // The unpacker reached its largest depth.
                } else if (Packing.of(file) == Packing.ZIP
                        && !name(file).toLowerCase(Locale.ROOT).endsWith(".zip")) {
                    others.add(name(file)); // A model's weights or a program: gigabytes without a recording.
                } else if (Packing.isPacked(file)) {
                    folder(unpacked(file), depth + 1);
                } else if (NsysExport.isReport(file)) {
                    recordings.add(NsysExport.export(file, folderFor(file), searched, InputFiles.this::started));
                } else if (importers.recognises(file)) {
                    recordings.add(file);
                } else {
                    others.add(name(file));
                }
            } catch (IOException e) {
                others.add(name(file) + " (" + FileProblem.reason(e) + ")");
            } catch (ImportException e) {
                if (!NsysExport.isReport(file)) {
                    throw e;
                }
                others.add(FileProblem.oneLine(e));
            }
        }

        /** Returns a file's name for users: its path in the folder, or that of its archive. */
        private String name(Path file) {
            String shown = named(file.toString());
            String folder = named(root.toString()) + FileSystems.getDefault().getSeparator();
            return shown.startsWith(folder) ? shown.substring(folder.length()) : shown;
        }
    }

    private static List<Path> children(Path folder) throws IOException {
        try (Stream<Path> children = Files.list(folder)) {
            return children.sorted(Order.comparing(Path::toString)).toList();
        }
    }

    /** Returns whether a name that no file has is a pattern. */
    public static boolean isPattern(Path path) {
        return path.toString().matches(".*[*?\\[{].*");
    }

    /** A pattern that no shell expanded. */
    private void pattern(Input given) throws IOException, ImportException {
        String pattern = given.file().toString();
        List<Path> matches = List.of(Objects.requireNonNullElse(given.file().getRoot(), Path.of("")));
        for (Path part : given.file()) {
            matches = isPattern(part) ? matching(pattern, matches, part) : existing(matches, part);
        }
        if (matches.isEmpty()) {
            throw new ImportException(pattern, "no file has a name like this", "check the pattern");
        }
        matches = outermost(matches);
        contents.add(given.file() + " means "
                + NameList.of(matches.stream().map(InputFiles::name).toList()));
        for (Path match : matches) {
            take(given.at(match));
        }
    }

    /** Returns the matches that are not inside another match, because a folder is searched completely. */
    private static List<Path> outermost(List<Path> matches) {
        Set<Path> all = new LinkedHashSet<>(matches);
        return all.stream()
                .filter(match -> {
                    Path above = match.getParent();
                    while (above != null && !all.contains(above)) {
                        above = above.getParent();
                    }
                    return above == null;
                })
                .toList();
    }

    private static List<Path> existing(List<Path> folders, Path part) {
        return folders.stream()
                .map(folder -> folder.resolve(part))
                .filter(Files::exists)
                .toList();
    }

    /** Returns the entries of some folders that match one part of a pattern; two stars include all folders below. */
    private static List<Path> matching(String pattern, List<Path> folders, Path part)
            throws IOException, ImportException {
        List<Path> found = new ArrayList<>();
        for (Path folder : folders) {
            if (!Files.isDirectory(folder)) {
                continue;
            }
            if (part.toString().equals("**")) {
                try (Stream<Path> below = Files.find(folder, MAX_DEPTH, (path, is) -> is.isDirectory())) {
                    below.limit(MAX_FILES + 1L).sorted().forEach(found::add);
                }
            } else {
                try (DirectoryStream<Path> names = Files.newDirectoryStream(folder, part.toString())) {
                    names.forEach(name -> found.add(folder.resolve(name.getFileName())));
                } catch (PatternSyntaxException e) {
                    throw new ImportException(pattern, "is no pattern: " + e.getDescription(), "check its brackets", e);
                }
            }
            if (found.size() > MAX_FILES) {
                throw new ImportException(
                        pattern, "means more than " + MAX_FILES + " files", "make the pattern more specific");
            }
        }
        found.sort(Order.comparing(Path::toString));
        return found;
    }

    /** Returns a temporary folder for the files made from an input. */
    private Path folderFor(Path given) throws IOException {
        if (temporary == null) {
            temporary = TemporaryFolder.make("inferscope-unpacked");
            // A signal that ends the command must not leave gigabytes behind.
            Thread hook = new Thread(() -> {
                isEnding = true;
                endConversion();
                remove();
            });
            Runtime.getRuntime().addShutdownHook(hook);
            atSignal = hook;
        }
        Path folder = Files.createDirectory(temporary.resolve(Integer.toString(origins.size())));
        Path parent = given.getParent();
        origins.put(folder, parent == null ? Path.of(".") : parent);
        return folder;
    }

    private void started(Process process) {
        converting = process;
        if (isEnding) {
            endConversion();
        }
    }

    private void endConversion() {
        Process process = converting;
        if (process != null) {
            NsysExport.end(process);
        }
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName());
    }

    /** Removes the unpacked files. */
    @Override
    public void close() {
        remove();
        Thread hook = atSignal;
        if (hook != null) {
            atSignal = null;
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException ending) {
                // The hook runs.
            }
        }
    }

    private void remove() {
        Path folder = temporary;
        if (folder == null || !Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException | UncheckedIOException left) {
            // Files that are left do no harm.
        }
    }
}
