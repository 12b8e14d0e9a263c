package io.inferscope.timeline.traceevent;

import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.Mutator;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPInputStream;

/**
 * Damages traces for as long as it is told to, and reads each as users do and with both readers: {@code lab/fuzz --ingest}. Ends with 1,
 * and keeps the file, at the first error that is no {@link ImportException} of one line, at an import of more than ten seconds, and where
 * the readers disagree.
 */
final class IngestFuzz {
    private static final long MAX_NS = 10_000_000_000L;

    private final Path folder;
    private final Random random = new Random();
    private long refused;
    private long longestNs;

    private IngestFuzz(Path folder) {
        this.folder = folder;
    }

    /** Takes the seconds to run, the first seed, a folder for what fails, and traces to begin with. */
    public static void main(String[] arguments) throws IOException {
        long endNs = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000_000L;
        List<Path> corpus = Arrays.stream(arguments).skip(3).map(Path::of).toList();
        IngestFuzz fuzz = new IngestFuzz(Files.createDirectories(Path.of(arguments[2])));
        long seed = Long.parseLong(arguments[1]);
        long runs = 0;
        for (; System.nanoTime() < endNs; runs++, seed++) {
            if (!fuzz.passes(corpus, seed)) {
                System.exit(1);
            }
        }
        System.out.printf(
                "%d inputs, %d of them refused, the longest took %d ms; the next seed is %d%n",
                runs, fuzz.refused, fuzz.longestNs / 1_000_000, seed);
    }

    private static byte[] content(Path trace) throws IOException {
        byte[] bytes = Files.readAllBytes(trace);
        if (bytes.length > 1 && bytes[0] == 0x1f && bytes[1] == (byte) 0x8b) {
            try (InputStream in = new GZIPInputStream(Files.newInputStream(trace))) {
                return in.readAllBytes();
            }
        }
        return bytes;
    }

    private boolean passes(List<Path> corpus, long seed) throws IOException {
        random.setSeed(seed);
        byte[] content = Mutator.mutated(content(corpus.get(random.nextInt(corpus.size()))), random);
        content = random.nextInt(3) == 0 ? TraceFile.gzip(content) : content;
        content = random.nextInt(4) == 0 ? Mutator.flipped(content, random) : content;
        Path file = TraceFile.of(folder, "input", content);
        long startNs = System.nanoTime();
        String problem = "";
        try {
            problem = read(file);
        } catch (RuntimeException | Error e) {
            problem = e.toString();
        }
        long tookNs = System.nanoTime() - startNs;
        longestNs = Math.max(longestNs, tookNs);
        problem = problem.isEmpty() && tookNs > MAX_NS ? "took " + tookNs + " ns" : problem;
        if (!problem.isEmpty()) {
            Files.move(file, folder.resolve("seed-" + seed), StandardCopyOption.REPLACE_EXISTING);
            System.out.println("seed " + seed + ": " + problem);
        }
        return problem.isEmpty();
    }

    private String read(Path file) throws IOException {
        try {
            CoreFormats.load(file);
        } catch (ImportException e) {
            refused++;
            if (String.valueOf(e.getMessage()).contains("\n")) {
                return "more than one line: " + e.getMessage();
            }
        }
        ReaderRecord expected = ReaderRecord.of(new JacksonTraceEventReader(), file);
        int window = 16 + random.nextInt(5000);
        int segment = 50 + random.nextInt(50_000);
        ReaderRecord scanned = ReaderRecord.of(new ScanningTraceEventReader(window, segment, 3), file);
        boolean comparable = !expected.gaveUp() && !expected.repairedText() && !scanned.repairedText();
        return comparable
                        && !(scanned.events().equals(expected.events())
                                && scanned.rest().equals(expected.rest()))
                ? "the readers disagree with window " + window + " segment " + segment
                : "";
    }
}
