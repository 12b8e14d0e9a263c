package io.inferscope.timeline.spool;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Stand-ins for libcuda and libcupti and a program that uses them, built from native/stubs with the machine's C compiler: they take the CUDA agent
 * through its whole path without a GPU. The steps that the program understands are listed in native/stubs/program.c.
 */
public final class StubCuda {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path BUILT = Path.of("target/stub-cuda").toAbsolutePath();
    private static final Map<Integer, String> CUPTI =
            Map.of(11, "libcupti.so.11.8", 12, "libcupti.so.12", 13, "libcupti.so.13");

    /** The hooks of launches as they are shipped. */
    public static final Path HOOKS = ROOT.resolve("native/linux-x86-64/libinferscope-launches.so");

    /** The agent as it is shipped. */
    public static final Path AGENT = ROOT.resolve("native/linux-x86-64/libinferscope-agent.so");

    /** How a program ended. */
    public record Ended(int exitCode, String out, long pid) {}

    private StubCuda() {}

    /** Builds what is missing. Skips the test, and says why, where there is no compiler; with INFERSCOPE_REQUIRE_GCC=1 that is a failure. */
    public static void prepare() throws IOException, InterruptedException {
        boolean amd64 = System.getProperty("os.arch").equals("amd64") && new File("/proc/self/maps").exists();
        CCompiler.need(amd64, "the agent's stand-ins need Linux on x86-64");
        CCompiler.need(CCompiler.has("gcc"), "no gcc on the PATH");
        Files.createDirectories(BUILT);
        // Two forks of the tests may come at once.
        synchronized (StubCuda.class) {
            try (FileChannel lock = FileChannel.open(
                            BUILT.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock held = lock.lock()) {
                assert held.isValid();
                if (isOutOfDate()) {
                    for (int generation : new int[] {11, 12, 13, 0}) {
                        Path folder = Files.createDirectories(BUILT.resolve("lib" + generation));
                        List<String> options = List.of("-DGENERATION=" + generation);
                        CCompiler.library(folder.resolve("libcuda.so.1"), source("cuda"), options);
                        if (generation == 0) {
                            notLibraries(folder);
                        } else {
                            CCompiler.library(folder.resolve(CUPTI.get(generation)), source("cupti"), options);
                        }
                    }
                    Path simulated = Files.createDirectories(BUILT.resolve("simulated"));
                    CCompiler.library(simulated.resolve("libcuda.so.1"), source("driver"), List.of("-DGENERATION=13"));
                    CCompiler.library(simulated.resolve(CUPTI.get(13)), source("cupti"), List.of("-DGENERATION=13"));
                    Path quick = Files.createDirectories(BUILT.resolve("quick"));
                    CCompiler.library(quick.resolve("libcuda.so.1"), source("quick"), List.of());
                    calm();
                    CCompiler.compile(List.of("-pthread", "-o", launching().toString(), source("launches")));
                    String driver = BUILT.resolve("lib0/libcuda.so.1").toString();
                    CCompiler.compile(List.of("-pthread", "-o", program().toString(), source("program"), driver));
                }
            }
        }
    }

    private static boolean isOutOfDate() throws IOException {
        if (!Files.exists(program())) {
            return true;
        }
        FileTime built = Files.getLastModifiedTime(program());
        for (String folder : List.of("stubs", "agent", "launches")) {
            for (Path source : sources(folder, "")) {
                if (Files.getLastModifiedTime(source).compareTo(built) > 0) {
                    return true;
                }
            }
        }
        return false;
    }

    private static List<Path> sources(String folder, String suffix) throws IOException {
        try (Stream<Path> files = Files.list(ROOT.resolve("native").resolve(folder))) {
            return files.filter(file -> file.toString().endsWith(suffix)).toList();
        }
    }

    /** Builds the agent and the hooks once more, with the counter of calm.c. */
    private static void calm() throws IOException, InterruptedException {
        Path folder = Files.createDirectories(BUILT.resolve("calm"));
        List<String> options = List.of(
                "-DLAUNCHES_TICKS=calm_ticks", "-fvisibility=hidden", "-Wl,--no-as-needed", "-ldl", "-lpthread");
        CCompiler.library(folder.resolve("libcalm.so"), source("calm"), List.of("-fvisibility=hidden"));
        for (Path library : List.of(AGENT, HOOKS)) {
            List<String> words = new ArrayList<>(options);
            sources(library.equals(AGENT) ? "agent" : "launches", ".c").forEach(file -> words.add(file.toString()));
            String last = words.remove(words.size() - 1);
            CCompiler.library(folder.resolve(library.getFileName()), last, words);
        }
    }

    /** Returns one of the libraries that look calm on a machine that others use: libcalm.so, to be preloaded first, or one of the shipped names. */
    public static Path calm(String library) {
        return BUILT.resolve("calm").resolve(library);
    }

    /** Files of libcupti's names that cannot be loaded hide those of the system. */
    private static void notLibraries(Path folder) throws IOException {
        for (String suffix : List.of("", ".13", ".12", ".11.8")) {
            Files.writeString(folder.resolve("libcupti.so" + suffix), "no library");
        }
    }

    private static String source(String name) {
        return ROOT.resolve("native/stubs/" + name + ".c").toString();
    }

    /** Returns the program. */
    public static Path program() {
        return BUILT.resolve("program");
    }

    /** Returns the program that gets the driver's functions as NVIDIA's runtime does; its steps are listed in native/stubs/launches.c. */
    public static Path launching() {
        return BUILT.resolve("launching");
    }

    /** Returns the folder of a driver whose calls take no time. */
    public static String quick() {
        return BUILT.resolve("quick").toString();
    }

    /** Returns the folder of the libraries of one generation of CUPTI: 11 (CUDA 11.8), 12 or 13; 0 has none. */
    public static String libraries(int generation) {
        return BUILT.resolve("lib" + generation).toString();
    }

    /** Returns the folder of the libraries of a simulated device, on which real programs run that use the driver's public functions alone. */
    public static String simulated() {
        return BUILT.resolve("simulated").toString();
    }

    /** Returns the stand-in of libcupti of a generation. */
    public static String cupti(int generation) {
        return libraries(generation) + '/' + CUPTI.get(generation);
    }

    /** Returns how to start the program with the agent. */
    public static ProcessBuilder builder(
            Path spools, int generation, Map<String, String> environment, String... steps) {
        List<String> words = new ArrayList<>(List.of(program().toString()));
        words.addAll(List.of(steps));
        ProcessBuilder builder = new ProcessBuilder(words);
        builder.environment().keySet().removeIf(name -> name.startsWith("INFERSCOPE_") || name.startsWith("CUDA_"));
        builder.environment().put("INFERSCOPE_SPOOL_DIR", spools.toString());
        builder.environment().put("CUDA_INJECTION64_PATH", AGENT.toString());
        builder.environment().put("LD_LIBRARY_PATH", libraries(generation));
        builder.environment().put("STUB_DRIVER", generation == 11 ? "11080" : generation == 12 ? "12080" : "13000");
        builder.environment().putAll(environment);
        return builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    }

    /** Runs the program with the agent to its end. */
    public static Ended run(Path spools, int generation, Map<String, String> environment, String... steps)
            throws IOException, InterruptedException {
        Process process = builder(spools, generation, environment, steps).start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), out.strip(), process.pid());
    }
}
