package io.inferscope.collectors.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.inferscope.collectors.symbols.ElfFile;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.spool.CCompiler;
import io.inferscope.timeline.spool.StubCuda;
import io.inferscope.timeline.spool.StubCuda.Ended;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The agent with NVIDIA's own libcupti and libcuda, as far as that goes without a device: with each version that {@code scripts/fetch-cupti} fetched into
 * target/cupti, which is never committed. Without a device libcupti refuses to record: the driver is either the stand-in, on which programs run on, or
 * NVIDIA's own, whose cuInit fails.
 */
@Tag("process")
@Tag("native")
class RealCuptiTest {
    static final Path FETCHED = Path.of("target/cupti").toAbsolutePath();
    private static final Path STUBS =
            Path.of("..", "native", "stubs").toAbsolutePath().normalize();
    private static final Pattern VERSION = Pattern.compile("-((\\d+)\\.\\d+)[.\\d]*$");
    private static final int ABORTED = 128 + 6;

    /** What not all versions have, and the first that does. */
    private static final Map<String, Double> SINCE = Map.of(
            "cuKernelGetAttribute",
            12.0,
            "cuKernelGetFunction",
            12.0,
            "cuKernelGetName",
            12.3,
            "cuFuncGetName",
            12.3,
            "cuptiActivityEnableRuntimeApi",
            12.5,
            "cuptiActivityEnableDriverApi",
            12.5);

    private static final Map<String, Double> NEWER = Map.of(
            "cuptiActivityEnableHWTrace",
            12.8,
            "cuptiSubscribe_v2",
            13.0,
            "cuptiActivityEnable_v2",
            13.2,
            "cuptiActivityRegisterCallbacks_v2",
            13.2,
            "cuptiActivitySetAttribute_v2",
            13.2,
            "cuptiActivityGetNextRecord_v2",
            13.3,
            "cuptiActivityEnableDriverApi_v2",
            13.3);

    /** The version of the interface, by that of CUDA. */
    private static final Map<String, String> API =
            Map.of("11.8", "18", "12.4", "22", "12.5", "23", "12.9", "28", "13.0", "13000\\d", "13.1", "13010\\d");

    /** The program for which single calls are to be recorded, and functions of the host. */
    private static final String LESS = "launch:10 threads:20:5";

    /** It calls itself without end where it cannot start: {@code no-start} of cupti-defects.tsv. */
    private static final String DIES = "libcupti-13.2.";

    @TempDir
    Path folder;

    private int runs;

    @BeforeAll
    static void fetch() throws Exception {
        StubCuda.prepare();
        if (fetched("libcupti").isEmpty()) {
            System.out.println("skipped: no real libcupti in " + FETCHED + "; scripts/fetch-cupti fetches some");
        }
        Assumptions.assumeFalse(fetched("libcupti").isEmpty(), "no real libcupti");
    }

    /** Returns the folders of the versions of a library, or of its headers, that are there. */
    static List<Path> fetched(String what) throws IOException {
        if (!Files.isDirectory(FETCHED)) {
            return List.of();
        }
        try (Stream<Path> folders = Files.list(FETCHED)) {
            return folders.filter(one -> one.getFileName().toString().matches(what + "-\\d.*"))
                    .sorted()
                    .toList();
        }
    }

    /** Returns the versions to run programs with: all under {@code scripts/test --full}, else the newest. */
    private static List<Path> tried(String what) throws IOException {
        List<Path> all = fetched(what);
        return Seeds.areAll() ? all : all.subList(Math.max(0, all.size() - 1), all.size());
    }

    /** Returns the names of versions, for a test to print. */
    static String names(List<Path> versions) {
        return versions.stream().map(one -> one.getFileName().toString()).collect(Collectors.joining(", "));
    }

    /** Returns the library in the folder of a version, not its links. */
    private static Path library(Path version) throws IOException {
        try (Stream<Path> files = Files.walk(version)) {
            return files.filter(file -> file.getFileName().toString().matches("lib(cupti|cuda)\\.so\\.[.\\d]+"))
                    .filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static Matcher version(Path folder) {
        Matcher version = VERSION.matcher(folder.toString());
        assertThat(version.find()).as("%s", folder).isTrue();
        return version;
    }

    private static boolean has(Path version, String name) {
        return Double.parseDouble(version(version).group(1)) >= SINCE.getOrDefault(name, 0.0);
    }

    private static String api(Path version) {
        return API.getOrDefault(version(version).group(1), "\\d+");
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
        for (Path version : fetched("libcupti")) {
            ElfFile elf = ElfFile.read(library(version), names, "");
            assertThat(names)
                    .as("%s", version)
                    .allSatisfy(name -> assertThat(elf.symbol(name) != 0).isEqualTo(has(version, name)));
        }
    }

    /** Tracing in hardware, which the agent does not use, and the interface for several subscribers, which is whole from 13.3 on. */
    @Test
    void theNewerInterfaceIsThereFromItsVersionsOn() throws Exception {
        for (Path version : fetched("libcupti")) {
            ElfFile elf = ElfFile.read(library(version), NEWER.keySet(), "");
            double cuda = Double.parseDouble(version(version).group(1));
            NEWER.forEach((name, since) -> assertThat(elf.symbol(name) != 0)
                    .as("%s in %s", name, version)
                    .isEqualTo(cuda >= since));
        }
    }

    @Test
    void everyCallThatTheAgentLeavesOutIsOneOfCuptis() throws Exception {
        String agent = Files.readString(Path.of("../native/agent/calls.c"));
        Matcher noisy = Pattern.compile("\"(\\w+)\"")
                .matcher(agent.substring(agent.indexOf("NOISY_CALLS[] = {"), agent.indexOf("NULL};")));
        for (Path version : tried("libcupti")) {
            String text = Files.readString(library(version), StandardCharsets.ISO_8859_1);
            for (noisy.reset(); noisy.find(); ) {
                String name = noisy.group(1);
                assertThat(text.contains('\0' + name + '\0') || text.contains('\0' + name + "_v"))
                        .as("%s in %s", name, version)
                        .isEqualTo(has(version, name));
            }
        }
    }

    @Test
    void everyCallThatTheAgentRecordsAloneIsOneOfCuptis() throws Exception {
        String agent = Files.readString(Path.of("../native/agent/calls.c"));
        Matcher beginning = Pattern.compile("\"(\\w+)\"")
                .matcher(agent.substring(agent.indexOf("BEGINNINGS[] = {"), agent.lastIndexOf("NULL};")));
        for (Path version : fetched("libcupti")) {
            String text = Files.readString(library(version), StandardCharsets.ISO_8859_1);
            for (beginning.reset(); has(version, "cuptiActivityEnableDriverApi") && beginning.find(); ) {
                assertThat(text).as("%s", version).contains('\0' + beginning.group(1));
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
                LESS,
                0,
                "threads:20:5",
                0,
                "launch:10 abort",
                ABORTED);
        List<Path> versions = tried("libcupti").stream()
                .filter(version -> !version.getFileName().toString().startsWith(DIES))
                .toList();
        for (Path version : versions) {
            int generation = Integer.parseInt(version(version).group(2));
            Path library = library(version);
            for (Map.Entry<String, Integer> program : programs.entrySet()) {
                Path spools = Files.createDirectory(folder.resolve("program" + runs++));
                Map<String, String> environment = new HashMap<>(Map.of("INFERSCOPE_CUPTI", library.toString()));
                if (program.getKey().equals(LESS)) {
                    environment.putAll(Map.of("INFERSCOPE_GPU_DETAIL", "calls", "INFERSCOPE_GPU_HOST_FUNCTIONS", "1"));
                }
                Ended ended = StubCuda.run(
                        spools, generation, environment, program.getKey().split(" ", -1));
                assertThat(ended.exitCode())
                        .as("%s with %s", program.getKey(), library)
                        .isEqualTo(program.getValue());
                assertRefused(
                        spools,
                        "API " + api(version) + ", named by INFERSCOPE_CUPTI: " + Pattern.quote(library.toString())
                                + "; driver for CUDA " + generation + "\\.\\d; the only receiver",
                        "libcupti refused cuptiActivity(Enable\\(10\\)|RegisterCallbacks\\(0\\)): error .*");
            }
        }
        System.out.printf("agent with real libcupti: %d programs each with %s%n", programs.size(), names(versions));
    }

    /**
     * What profilers of a program may ask for, and the agent does not: tracing in hardware, two subscribers, and user-defined
     * records. Beside the agent they get the answers that they get without it, and both go on. Without a device each answer
     * of a version that has the function is a refusal.
     */
    @Test
    void whatIsNewerIsRefusedBesideTheAgentAsWithoutIt() throws Exception {
        for (Path version : tried("libcupti")) {
            if (version.getFileName().toString().startsWith(DIES)) {
                continue;
            }
            int generation = Integer.parseInt(version(version).group(2));
            double cuda = Double.parseDouble(version(version).group(1));
            String answers = Stream.of(
                            "hardware cuptiActivityEnableHWTrace",
                            "subscriber cuptiSubscribe_v2",
                            "subscriber cuptiSubscribe_v2",
                            "user-defined cuptiActivitySetAttribute_v2")
                    .map(asked -> asked.split(" "))
                    .map(asked -> asked[0] + (cuda < NEWER.get(asked[1]) ? " -" : cuda < 13 ? " 15" : " 999"))
                    .collect(Collectors.joining(", "));
            for (String agent : List.of(StubCuda.AGENT.toString(), "")) {
                Path spools = Files.createDirectory(folder.resolve("program" + runs++));
                Map<String, String> environment =
                        Map.of("INFERSCOPE_CUPTI", library(version).toString(), "CUDA_INJECTION64_PATH", agent);
                Ended ended = StubCuda.run(spools, generation, environment, "launch:5", "newer", "launch:5");
                assertThat(entry(
                                ended.exitCode(),
                                ended.out().lines().findFirst().orElse("")))
                        .as("%s, agent: %s", version, agent)
                        .isEqualTo(entry(0, answers));
                if (!agent.isEmpty()) {
                    assertRefused(spools, "API .*; the only receiver", "libcupti refused .*: error .*");
                }
            }
            System.out.printf("%s: %s%n", version.getFileName(), answers);
        }
    }

    @Test
    void withTheRealDriverTheProgramEndsAsItWouldAndTheRefusalIsNamed() throws Exception {
        if (fetched("libcuda").isEmpty()) {
            System.out.println("skipped: no real libcuda in " + FETCHED + "; scripts/fetch-cupti fetches some");
        }
        Assumptions.assumeFalse(fetched("libcuda").isEmpty(), "no real libcuda");
        boolean device = Files.exists(Path.of("/dev/nvidia0"));
        if (device) {
            System.out.println("skipped: what the agent does without a device, because there is one");
        }
        Assumptions.assumeFalse(device, "there is a device");
        String absent = folder.resolve("absent").toString();
        CCompiler.compile(
                List.of("-pthread", "-o", absent, STUBS.resolve("absent.c").toString()));
        boolean deviceFile = Files.exists(Path.of("/dev/nvidiactl"));
        for (Path driver : tried("libcuda")) {
            for (Path version : tried("libcupti")) {
                String library = library(version).toString();
                Map<String, String> environment = Map.of(
                        "INFERSCOPE_CUPTI",
                        library,
                        "LD_LIBRARY_PATH",
                        library(driver).getParent().toString());
                runWithoutDevice(
                        absent,
                        environment,
                        "API " + api(version) + ", named by INFERSCOPE_CUPTI: " + Pattern.quote(library));
            }
            runWithoutDevice(
                    absent, Map.of("LD_LIBRARY_PATH", searchPath(driver)), "API .*, the system's: .*" + suitable());
        }
        assertThat(Files.exists(Path.of("/dev/nvidiactl"))).isEqualTo(deviceFile);
        System.out.println("agent with real libcuda: " + names(tried("libcuda")));
    }

    /** Returns the driver's folder and those of all versions of libcupti. */
    private static String searchPath(Path driver) throws IOException {
        List<String> folders =
                new ArrayList<>(List.of(library(driver).getParent().toString()));
        for (Path version : fetched("libcupti")) {
            folders.add(library(version).getParent().toString());
        }
        return String.join(File.pathSeparator, folders);
    }

    /** Returns the version that the agent must take of all for a driver for CUDA 12. */
    private static String suitable() throws IOException {
        return fetched("libcupti").stream()
                .map(version -> version.getFileName().toString())
                .filter(name -> name.startsWith("libcupti-12."))
                .findFirst()
                .map(name -> '/' + Pattern.quote(name) + "/.*")
                .orElse(".*");
    }

    private void runWithoutDevice(String absent, Map<String, String> environment, String cupti) throws Exception {
        Map<String, Map.Entry<Integer, String>> programs = Map.of(
                "init",
                entry(0, "init: 100"),
                "nvtx",
                entry(0, "nvtx: 1, libcupti mapped: 0"),
                "nvtx init",
                entry(0, "nvtx: 1, libcupti mapped: 0\ninit: 100"),
                "nvtx fork",
                entry(0, "nvtx: 1, libcupti mapped: 0\nfork: 0"),
                "init fork",
                entry(0, "init: 100\nfork: 0"),
                "fork init",
                entry(0, "fork: 0\ninit: 100"),
                "threads:20 init",
                entry(0, "init: 100"),
                "init exit:3",
                entry(3, "init: 100"),
                "init abort",
                entry(ABORTED, ""));
        for (Map.Entry<String, Map.Entry<Integer, String>> program : programs.entrySet()) {
            Path spools = Files.createDirectory(folder.resolve("program" + runs++));
            ProcessBuilder builder =
                    StubCuda.builder(spools, 12, environment, program.getKey().split(" ", -1));
            builder.command().set(0, absent);
            Process process = builder.start();
            String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            assertThat(entry(process.waitFor(), out))
                    .as("%s with %s", program.getKey(), environment)
                    .isEqualTo(program.getValue());
            if (program.getKey().matches(".*(init|fork).*")) {
                assertRefused(
                        spools,
                        cupti + "; driver for CUDA 12\\.\\d; the only receiver",
                        "libcupti refused cuptiActivityRegisterCallbacks\\(0\\): error .*");
            } else {
                assertThat(spools).isEmptyDirectory();
            }
        }
    }

    private static void assertRefused(Path spools, String cupti, String why) throws Exception {
        Timeline timeline = CoreFormats.load(spools);
        assertThat(timeline.properties().entrySet())
                .anySatisfy(one ->
                        assertThat(one.getKey() + ' ' + one.getValue()).matches("process\\.\\d+\\.cupti " + cupti));
        assertThat(timeline.info().coverage())
                .anySatisfy(said -> assertThat(said.why()).matches(why));
    }
}
