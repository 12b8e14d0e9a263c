package io.inferscope.collectors.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.symbols.ElfFile;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.spool.StubCuda;
import io.inferscope.timeline.spool.StubCuda.Ended;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The agent with NVIDIA's own libcupti, as far as that goes without a device: of each wheel in target/cupti, which is never committed. It is filled by
 * {@code pip download --no-deps -d inferscope-collectors/target/cupti nvidia-cuda-cupti}, and the same of nvidia-cuda-cupti-cu12 and -cu11. The driver is
 * the stand-in, so libcupti refuses to record.
 */
@Tag("process")
@Tag("native")
class RealCuptiTest {
    private static final Path UNPACKED = Path.of("target/cupti").toAbsolutePath();
    private static final Pattern LIBRARY = Pattern.compile(".*/lib/libcupti\\.so\\.[0-9.]+");

    private static final List<Path> LIBRARIES = new ArrayList<>();

    @TempDir
    Path folder;

    @BeforeAll
    static void unpack() throws Exception {
        StubCuda.prepare();
        if (Files.isDirectory(UNPACKED)) {
            unpack(UNPACKED);
        }
        if (LIBRARIES.isEmpty()) {
            System.out.println("skipped: no wheel of nvidia-cuda-cupti in " + UNPACKED);
        }
        Assumptions.assumeFalse(LIBRARIES.isEmpty(), "no real libcupti");
    }

    private static void unpack(Path wheels) throws IOException {
        try (Stream<Path> files = Files.list(wheels)) {
            for (Path wheel :
                    files.filter(file -> file.toString().endsWith(".whl")).toList()) {
                try (ZipFile zip = new ZipFile(wheel.toFile())) {
                    for (ZipEntry entry : zip.stream().map(ZipEntry.class::cast).toList()) {
                        if (LIBRARY.matcher(entry.getName()).matches()) {
                            LIBRARIES.add(unpack(zip, entry, wheel.getFileName().toString()));
                        }
                    }
                }
            }
        }
    }

    private static Path unpack(ZipFile zip, ZipEntry entry, String wheel) throws IOException {
        Path folder = Files.createDirectories(UNPACKED.resolve(wheel.replace(".whl", "")));
        Path library = folder.resolve(Path.of(entry.getName()).getFileName());
        if (!Files.exists(library)) {
            Path part = Files.createTempFile(folder, "part", "");
            try (InputStream in = zip.getInputStream(entry)) {
                Files.write(part, in.readAllBytes());
            }
            Files.move(part, library);
        }
        return library;
    }

    @Test
    void everyFunctionThatTheAgentAsksForIsThere() throws Exception {
        Set<String> names = new HashSet<>();
        Matcher asked =
                Pattern.compile("\\{\"(cupti\\w+)\", ").matcher(Files.readString(Path.of("../native/agent/find.c")));
        while (asked.find()) {
            names.add(asked.group(1));
        }
        names.add("InitializeInjectionNvtx2");
        assertThat(names).hasSizeGreaterThan(14);
        for (Path library : LIBRARIES) {
            ElfFile elf = ElfFile.read(library, names, "");
            assertThat(names)
                    .as("%s", library)
                    .allSatisfy(name -> assertThat(elf.symbol(name)).isNotZero());
        }
    }

    @Test
    void everyCallThatTheAgentLeavesOutIsOneOfCuptis() throws Exception {
        String agent = Files.readString(Path.of("../native/agent/calls.c"));
        Matcher noisy = Pattern.compile("\"(\\w+)\"")
                .matcher(agent.substring(agent.indexOf("NOISY_CALLS[] = {"), agent.indexOf("NULL};")));
        for (Path library : LIBRARIES) {
            String text = Files.readString(library, StandardCharsets.ISO_8859_1);
            for (noisy.reset(); noisy.find(); ) {
                assertThat(text.contains('\0' + noisy.group(1) + '\0') || text.contains('\0' + noisy.group(1) + "_v"))
                        .as("%s in %s", noisy.group(1), library)
                        .isTrue();
            }
        }
    }

    @Test
    void theProgramEndsAsItWouldAndTheRefusalIsNamed() throws Exception {
        Map<String, Integer> programs = Map.of(
                "launch:10",
                0,
                "nvtx launch:10",
                0,
                "launch:10 fork launch:2",
                0,
                "launch:10 spawn exit:3",
                3,
                "atexit:5 launch:10",
                0,
                "threads:20:5",
                0,
                "launch:10 abort",
                128 + 6);
        int number = 0;
        for (Path library : LIBRARIES) {
            for (Map.Entry<String, Integer> program : programs.entrySet()) {
                Path spools = Files.createDirectory(folder.resolve("program" + number++));
                Map<String, String> environment = Map.of("INFERSCOPE_CUPTI", library.toString());
                Ended ended =
                        StubCuda.run(spools, 13, environment, program.getKey().split(" ", -1));
                assertThat(ended.exitCode())
                        .as("%s with %s", program.getKey(), library)
                        .isEqualTo(program.getValue());
                Timeline timeline = CoreFormats.load(spools);
                assertThat(timeline.properties().entrySet())
                        .anySatisfy(
                                one -> assertThat(one.getKey() + one.getValue())
                                        .matches(
                                                "process\\.\\d+\\.cuptiAPI \\d+, named by INFERSCOPE_CUPTI: /.*/libcupti\\.so.*; driver for CUDA 13.0; the only receiver"));
                assertThat(timeline.info().coverage())
                        .anySatisfy(said ->
                                assertThat(said.why()).startsWith("libcupti refused cuptiActivityEnable(10): error "));
            }
        }
        System.out.printf(
                "agent with real libcupti: %d versions, %d programs each%n", LIBRARIES.size(), programs.size());
    }
}
