package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What Maven resolved is what was reviewed: docs/dependencies.md. */
class DependencyChecksumsTest {
    @Test
    void everyJarHasTheListedChecksum() throws Exception {
        String listed = Files.readString(Path.of("..", "docs", "dependencies.md"));
        List<Path> jars = Arrays.stream(
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                                .split(File.pathSeparator))
                .map(Path::of)
                .filter(path -> path.toString().endsWith(".jar"))
                .filter(path -> !path.getFileName().toString().startsWith("inferscope-"))
                .filter(path -> !path.getFileName().toString().startsWith("junit-platform-console"))
                .toList();
        List<String> unknown = new ArrayList<>();
        for (Path jar : jars) {
            String sum = sha256(jar);
            if (listed.lines()
                    .noneMatch(line -> line.startsWith("| " + jar.getFileName() + " |") && line.contains(sum))) {
                unknown.add("| " + jar.getFileName() + " | | | " + sum + " |");
            }
        }
        assertThat(unknown).as("not in docs/dependencies.md").isEmpty();
    }

    private static String sha256(Path file) throws IOException, NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    }
}
