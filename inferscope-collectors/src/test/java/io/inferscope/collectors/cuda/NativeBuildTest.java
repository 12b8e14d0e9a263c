package io.inferscope.collectors.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.spool.StubCuda;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The shipped libraries are what their source builds. */
class NativeBuildTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final int CANNOT_TELL = 3;
    private static final List<String> LIBRARIES = List.of(
            "native/linux-x86-64/libinferscope-agent.so",
            "python/inferscope/native/linux-x86-64/_shape_native.abi3.so",
            "native/linux-x86-64/libinferscope-relay.so",
            "native/linux-x86-64/libinferscope-launches.so",
            "native/linux-aarch64/libinferscope-agent.so",
            "python/inferscope/native/linux-aarch64/_shape_native.abi3.so",
            "native/linux-aarch64/libinferscope-relay.so",
            "native/linux-aarch64/libinferscope-launches.so");

    @Test
    void theShippedLibrariesHaveTheirChecksums() throws Exception {
        StringBuilder sums = new StringBuilder();
        for (String file : LIBRARIES) {
            byte[] bytes = Files.readAllBytes(ROOT.resolve(file));
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            sums.append(HexFormat.of().formatHex(digest))
                    .append("  ")
                    .append(file)
                    .append('\n');
        }
        assertThat(Files.readString(ROOT.resolve("native/SHA256"))).isEqualTo(sums.toString());
    }

    @Tag("process")
    @Test
    @EnabledOnOs(OS.LINUX)
    void theSameToolsBuildTheSameBytes() throws Exception {
        Process build = new ProcessBuilder(ROOT.resolve("scripts/build-native").toString(), "--check")
                .redirectErrorStream(true)
                .start();
        String said = new String(build.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int exitCode = build.waitFor();
        if (exitCode == CANNOT_TELL) {
            System.out.println("skipped: " + said.strip());
        }
        Assumptions.assumeFalse(exitCode == CANNOT_TELL, said);
        assertThat(exitCode).as(said).isZero();
        assertThat(said).endsWith("same bytes\n");
    }

    @Tag("process")
    @Tag("native")
    @Test
    void theOffsetsAreThoseOfTheVendorsHeaders() throws Exception {
        StubCuda.prepare();
        List<Path> packages = headers();
        Path toolkit = Path.of("/usr/local/cuda/include");
        boolean installed = Files.exists(toolkit.resolve("cupti.h"));
        if (!installed && packages.isEmpty()) {
            System.out.println("skipped: no header of CUPTI; scripts/fetch-cupti fetches some");
        }
        Assumptions.assumeTrue(installed || !packages.isEmpty(), "no header of CUPTI");
        if (installed) {
            compareOffsets(toolkit);
        }
        for (Path version : packages) {
            compareOffsets(ROOT.resolve("native/stubs/headers"), version);
        }
        System.out.printf(
                "offsets of CUPTI compared with the headers of %s%s%n",
                installed ? toolkit.toRealPath() + " " : "",
                packages.stream()
                        .map(RealCuptiTest.FETCHED::relativize)
                        .map(header -> header.getName(0).toString())
                        .collect(Collectors.joining(", ")));
    }

    /** Returns the folders of CUPTI's headers: packages of Debian and wheels have them in different places. */
    private static List<Path> headers() throws IOException {
        if (!Files.isDirectory(RealCuptiTest.FETCHED)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(RealCuptiTest.FETCHED)) {
            return files.filter(file -> file.endsWith("cupti_activity.h"))
                    .map(Path::getParent)
                    .sorted()
                    .toList();
        }
    }

    private static void compareOffsets(Path... includes) throws Exception {
        List<String> words = new ArrayList<>(List.of("gcc", "-fsyntax-only"));
        for (Path include : includes) {
            words.addAll(List.of("-isystem", include.toString()));
        }
        words.add(ROOT.resolve("native/stubs/abi_check.c").toString());
        Process compiler = new ProcessBuilder(words).redirectErrorStream(true).start();
        String said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(compiler.waitFor()).as(said).isZero();
    }

    @Test
    void theyNeedNoNewerGlibcThan217() throws Exception {
        for (String file : LIBRARIES) {
            String text = Files.readString(ROOT.resolve(file), StandardCharsets.ISO_8859_1);
            assertThat(Pattern.compile("GLIBC_2\\.(\\d+)")
                            .matcher(text)
                            .results()
                            .mapToInt(version -> Integer.parseInt(version.group(1)))
                            .max()
                            .orElseThrow())
                    .as(file)
                    .isLessThanOrEqualTo(17);
        }
    }
}
