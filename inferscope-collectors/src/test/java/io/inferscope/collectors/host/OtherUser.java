package io.inferscope.collectors.host;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Runs programs as the user "nobody" (65534), which only root can. */
final class OtherUser {
    private static final String NOBODY = "65534";

    private OtherUser() {}

    static boolean isPossible() {
        return "root".equals(System.getProperty("user.name")) && new File("/usr/bin/setpriv").canExecute();
    }

    static ProcessBuilder run(String... command) {
        List<String> words =
                new ArrayList<>(List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups", "--"));
        words.addAll(List.of(command));
        return new ProcessBuilder(words).redirectErrorStream(true).directory(new File("/"));
    }

    /** Runs a class of the tests; what it needs is copied into {@code folder}, since the class path may lie where only root reads. */
    static ProcessBuilder java(Path folder, Class<?> main, String... arguments) throws IOException {
        List<String> words = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-Djna.tmpdir=/tmp",
                "-cp",
                copyOfClassPath(folder),
                main.getName()));
        words.addAll(List.of(arguments));
        return run(words.toArray(String[]::new));
    }

    private static String copyOfClassPath(Path folder) throws IOException {
        List<String> copies = new ArrayList<>();
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        for (String entry : classPath.split(File.pathSeparator, -1)) {
            if (entry.contains("inferscope") || entry.contains("jna") || entry.contains("jspecify")) {
                Path copy = folder.resolve("class-path-" + copies.size() + (entry.endsWith(".jar") ? ".jar" : ""));
                copy(Path.of(entry), copy);
                copies.add(copy.toString());
            }
        }
        return String.join(File.pathSeparator, copies);
    }

    private static void copy(Path from, Path to) throws IOException {
        if (!Files.exists(from)) {
            return;
        }
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                Files.copy(file, from.equals(file) ? to : target);
            }
        }
    }

    /** Makes a folder that everybody may write to and reach. */
    static Path folder(Path parent) throws IOException {
        for (Path above = parent; above.startsWith(System.getProperty("java.io.tmpdir")); above = above.getParent()) {
            if (above.getNameCount() > 1) {
                above.toFile().setExecutable(true, false);
            }
        }
        Path folder = Files.createDirectory(parent.resolve("everybody"));
        folder.toFile().setWritable(true, false);
        folder.toFile().setReadable(true, false);
        folder.toFile().setExecutable(true, false);
        return folder;
    }
}
