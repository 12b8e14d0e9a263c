package io.inferscope.cli.analyze;

import io.inferscope.analyzer.diff.Comparison;
import io.inferscope.report.common.PlainText;
import io.inferscope.timeline.files.WholeFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The recordings of a project that later ones are compared with, {@code .inferscope/baselines/NAME} and the ending of
 * the recording's file; and {@code .inferscope/claims.tsv}, a line for each gain that was claimed by a finding and then
 * got or not.
 */
final class Baselines {
    private static final Path PROJECT = Path.of(".inferscope");
    private static final Path FOLDER = PROJECT.resolve("baselines");
    private static final Path CLAIMS = PROJECT.resolve("claims.tsv");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,99}");

    /** Between a name and the ending of its file. A name may hold points. */
    private static final String MARK = "@";

    private static final String HEADER = "baseline\trecording\trule\tclaimed_low\tclaimed_high\tgot\tbeyond_noise\n";

    /** Of the list of claims: some 200,000 lines. */
    private static final long MOST_BYTES = 16 << 20;

    private Baselines() {}

    static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    /**
     * Copies a recording, in the place of those that have the name.
     *
     * @throws FileSystemException if it is not one file
     */
    static Path set(String name, Path recording) throws IOException {
        if (!Files.isRegularFile(recording)) {
            throw new FileSystemException(
                    recording.toString(), null, "a baseline is one file; of a folder, take its trace or report");
        }
        String file = String.valueOf(recording.getFileName());
        Path kept = FOLDER.resolve(name + MARK + file);
        checkFolder(PROJECT);
        checkFolder(FOLDER);
        checkFile(kept);
        WholeFile.write(kept, out -> {
            try (InputStream in = Files.newInputStream(recording)) {
                in.transferTo(out);
            }
        });
        for (Path other : all()) {
            if (name(other).equals(name) && !other.equals(kept)) {
                Files.delete(other);
            }
        }
        return kept;
    }

    /** Returns the file of a name. */
    static Optional<Path> file(String name) throws IOException {
        return all().stream().filter(file -> name(file).equals(name)).findFirst();
    }

    /** Returns the files, by name. */
    static List<Path> all() throws IOException {
        if (!Files.isDirectory(FOLDER)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(file -> file.getFileName().toString().contains(MARK)
                            && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                    .sorted()
                    .toList();
        }
    }

    static String name(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.substring(0, name.indexOf(MARK));
    }

    /** Adds what findings had claimed, and what was got, to the project's list. */
    static void note(String baseline, Comparison comparison) throws IOException {
        List<Comparison.FindingChange> actedOn = comparison.isJudged() ? comparison.actedOn() : List.of();
        if (actedOn.isEmpty()) {
            return;
        }
        StringBuilder lines = new StringBuilder();
        String beyond = comparison.pace().shift() == null
                ? "unknown"
                : String.valueOf(comparison.outcome() != Comparison.Outcome.WITHIN_NOISE);
        for (Comparison.FindingChange finding : actedOn) {
            lines.append(String.format(
                    Locale.ROOT,
                    "%s\t%s\t%s\t%.4f\t%.4f\t%.4f\t%s\n",
                    baseline,
                    PlainText.csvCell(comparison.after().title().replaceAll("\\s", " ")),
                    finding.rule(),
                    Objects.requireNonNull(finding.claimed()).lowRatio(),
                    finding.claimed().highRatio(),
                    comparison.gainedRatio(),
                    beyond));
        }
        checkFolder(PROJECT);
        byte[] before = checkFile(CLAIMS) ? Files.readAllBytes(CLAIMS) : HEADER.getBytes(StandardCharsets.UTF_8);
        WholeFile.write(CLAIMS, out -> {
            out.write(before);
            if (before.length > 0 && before[before.length - 1] != '\n') {
                out.write('\n');
            }
            out.write(lines.toString().getBytes(StandardCharsets.UTF_8));
        });
    }

    /**
     * Makes a folder of the project if there is none. A repository can contain links, which its user owns, to any of
     * the user's files; so nothing is written through one.
     */
    private static void checkFolder(Path folder) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(folder, WholeFile.OWN_FOLDER);
        } else if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileSystemException(folder.toString(), null, "it is a link or no folder; remove it");
        }
        WholeFile.checkPrivate(folder);
    }

    /** Returns whether there is such a file of the project. */
    private static boolean checkFile(Path file) throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileSystemException(file.toString(), null, "it is a link or no file; remove it");
        }
        if (file.equals(CLAIMS) && Files.size(file) > MOST_BYTES) {
            throw new FileSystemException(file.toString(), null, "it is larger than 16 MiB; move it away");
        }
        return true;
    }
}
