package io.inferscope.cli;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * How a test starts InferScope as a JVM of its own: with the classes under test in an archive that the JVM maps, as the launcher does.
 * Some 200 starts take a third less CPU each. An archive needs jars, so the folders of classes become jars first; the forks of a
 * build share both.
 */
final class StartArchive {
    private static final String JAVA = System.getProperty("java.home") + "/bin/java";
    private static final Path OWN_CLASSES = Path.of(URI.create(StartArchive.class
            .getProtectionDomain()
            .getCodeSource()
            .getLocation()
            .toString()));
    private static final List<String> TRAINED = List.of(
            "analyze trace.json",
            "analyze trace.json --format json",
            "analyze trace.json -o report.html",
            "query trace.json select(count(*))from(events)",
            "doctor");
    private static final List<String> WORDS = make();

    private StartArchive() {}

    /** Returns the options that name the class path, and the archive where this JVM can make one. */
    static List<String> words() {
        return WORDS;
    }

    private static List<String> make() {
        String classes = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        try {
            Path folder =
                    Files.createDirectories(Path.of("target", "start-archive").toAbsolutePath());
            try (FileChannel lock =
                    FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                lock.lock();
                return of(folder, classes);
            }
        } catch (IOException | InterruptedException e) {
            return List.of("-cp", classes);
        }
    }

    private static List<String> of(Path folder, String classPath) throws IOException, InterruptedException {
        Path made = folder.resolve(key(classPath));
        if (!Files.exists(made)) {
            Path unfinished = Files.createTempDirectory(folder, "unfinished");
            Files.move(withJars(unfinished, classPath), made);
            train(made, jars(made, classPath));
        }
        Path archive = made.resolve("classes.jsa");
        List<String> words = new ArrayList<>();
        if (Files.exists(archive)) {
            words.add("-XX:SharedArchiveFile=" + archive);
            words.add("-Xlog:all=off:stdout"); // What the JVM says of an archive that it cannot use would be taken for
            // output.
        }
        words.addAll(List.of("-cp", jars(made, classPath)));
        return words;
    }

    /** Records a program, explains it in each format and asks for rows: most tests use those classes. */
    private static void train(Path made, String jars) throws IOException, InterruptedException {
        Path work = Files.createDirectory(made.resolve("training"));
        List<String> words = new ArrayList<>(List.of(
                JAVA,
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:ArchiveClassesAtExit=" + made.resolve("classes.jsa"),
                "-Dinferscope.root=" + work,
                "-cp",
                jars,
                "io.inferscope.cli.StartTraining"));
        words.addAll(List.of("run --trace trace.json -o report.md -- python3 -c sum(range(3000000))".split(" ")));
        for (String then : TRAINED) {
            words.add("--then");
            words.addAll(List.of(then.split(" ")));
        }
        new ProcessBuilder(words)
                .directory(work.toFile())
                .redirectErrorStream(true)
                .redirectOutput(work.resolve("log").toFile())
                .start()
                .waitFor(2, TimeUnit.MINUTES);
    }

    private static Path withJars(Path folder, String classPath) throws IOException {
        int n = 0;
        for (String entry : classPath.split(File.pathSeparator, 0)) {
            if (Files.isDirectory(Path.of(entry))) {
                jar(Path.of(entry), folder.resolve(n++ + ".jar"));
            }
        }
        return folder;
    }

    private static String jars(Path folder, String classPath) {
        List<String> jars = new ArrayList<>();
        int n = 0;
        for (String entry : classPath.split(File.pathSeparator, 0)) {
            if (Files.isDirectory(Path.of(entry))) {
                jars.add(folder.resolve(n++ + ".jar").toString());
            } else if (Files.exists(Path.of(entry))) {
                jars.add(shipped(Path.of(entry)).toString());
            }
        }
        return String.join(File.pathSeparator, jars);
    }

    /** Returns what is shipped in place of a published library: picocli, as no archive can hold the published classes. */
    private static Path shipped(Path library) {
        Path compiled = OWN_CLASSES.resolveSibling("picocli").resolve(library.getFileName());
        return Files.exists(compiled) ? compiled : library;
    }

    private static void jar(Path classes, Path file) throws IOException {
        try (ZipOutputStream jar = new ZipOutputStream(Files.newOutputStream(file))) {
            jar.setMethod(ZipOutputStream.STORED);
            for (Path path : files(classes)) {
                byte[] bytes = Files.readAllBytes(path);
                CRC32 sum = new CRC32();
                sum.update(bytes);
                ZipEntry entry = new ZipEntry(classes.relativize(path).toString());
                entry.setSize(bytes.length);
                entry.setCrc(sum.getValue());
                jar.putNextEntry(entry);
                jar.write(bytes);
            }
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            return paths.filter(Files::isRegularFile)
                    .sorted(Comparator.naturalOrder())
                    .toList();
        }
    }

    /** Returns what tells this class path's state from any other: its files with their sizes and times, and the JVM. */
    private static String key(String classPath) throws IOException {
        CRC32 sum = new CRC32();
        sum.update(System.getProperty("java.vm.version").getBytes(StandardCharsets.UTF_8));
        for (String entry : classPath.split(File.pathSeparator, 0)) {
            Path path = Path.of(entry);
            for (Path file :
                    Files.isDirectory(path) ? files(path) : Files.exists(path) ? List.of(path) : List.<Path>of()) {
                sum.update((file + " " + Files.size(file) + " " + Files.getLastModifiedTime(file))
                        .getBytes(StandardCharsets.UTF_8));
            }
        }
        return HexFormat.of().toHexDigits(sum.getValue());
    }
}
