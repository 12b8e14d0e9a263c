package io.inferscope.collectors.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.spool.StubCuda;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.javacpp.Pointer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The offsets that the agent declares are those that JavaCPP's presets were compiled with: of each version of CUDA from 12.6 on whose presets lie in the
 * local Maven repository ({@code mvn dependency:get -Dartifact=org.bytedeco:cuda:13.3-9.25-1.5.14 -Dtransitive=false}, and the same with
 * {@code :jar:linux-x86_64}). The presets' library needs a libcupti of its name to be loaded, and calls nothing in it: the stand-in will do. It runs in
 * a JVM of its own, because loading cannot be undone.
 */
@Tag("process")
@Tag("native")
class CuptiOffsetsTest {
    private static final Path NATIVE = Path.of("..", "native").toAbsolutePath().normalize();
    private static final String FIRST_PRESETS = "12.6";
    private static final String HOST_FUNCTIONS = "13.1";
    private static final String SEVERAL_SUBSCRIBERS = "13.3";

    /** Of struct subscriber_params in native/agent/cupti_abi.h. */
    private static final Map<String, String> SUBSCRIBER = Map.of(
            "CUpti_SubscriberParams.structSize", "0",
            "CUpti_SubscriberParams.subscriberName", "8",
            "CUpti_SubscriberParams.oldSubscriberName", "16",
            "CUpti_SubscriberParams.oldSubscriberSize", "24",
            "CUpti_SubscriberParams.allowMultipleSubscribers", "32",
            "CUpti_SubscriberParams.padding", "33");

    private static final Pattern CONSTANT = Pattern.compile("\\b([A-Z][A-Z_]+) = (\\d+)");
    private static final Pattern FIELD = Pattern.compile("AT\\((\\w+), (CUpti_\\w+), (\\w+)\\);");

    @TempDir
    Path folder;

    @Test
    void theAgentsOffsetsAreThoseOfThePresets() throws Exception {
        StubCuda.prepare();
        String fields = Files.readString(NATIVE.resolve("stubs/abi_check.c"));
        Map<String, String> wanted = new TreeMap<>();
        Map<String, Integer> declared = declared();
        for (MatchResult field : FIELD.matcher(fields).results().toList()) {
            wanted.put(field.group(2) + '.' + field.group(3), "" + declared.get(field.group(1)));
        }
        assertThat(wanted).hasSizeGreaterThan(70);
        List<String> versions = versions();
        for (String version : versions) {
            Map<String, String> all = new TreeMap<>(wanted);
            if (version.compareTo(HOST_FUNCTIONS) < 0) {
                all.keySet().removeIf(field -> field.matches("CUpti_Activity(GraphHostNode|HostLaunch)\\..*"));
            }
            if (version.compareTo(SEVERAL_SUBSCRIBERS) >= 0) {
                all.putAll(SUBSCRIBER);
            }
            assertThat(offsetsOfPresets(version, List.copyOf(all.keySet())))
                    .as(version)
                    .isEqualTo(all);
        }
        System.out.println("offsets of CUPTI compared with the presets of " + String.join(", ", versions));
    }

    /** Returns the class path of this JVM. */
    private static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    /** Returns the version of the presets on the class path and, under {@code scripts/test --full}, others beside it in the local repository of which both jars are there. */
    private static List<String> versions() throws IOException {
        Path own = Path.of(Stream.of(classPath().split(":", -1))
                .filter(jar -> jar.matches(".*/cuda-[^/]*-linux-x86_64\\.jar"))
                .findFirst()
                .orElseThrow());
        Path all = own.getParent().getParent();
        try (Stream<Path> folders = Files.list(all)) {
            String used = own.getParent().getFileName().toString();
            return folders.map(folder -> folder.getFileName().toString())
                    .filter(version -> Seeds.areAll() || version.equals(used))
                    .filter(version -> version.compareTo(FIRST_PRESETS) >= 0)
                    .filter(version -> Files.exists(all.resolve(version + "/cuda-" + version + ".jar"))
                            && Files.exists(all.resolve(version + "/cuda-" + version + "-linux-x86_64.jar")))
                    .sorted()
                    .toList();
        }
    }

    /** Returns the class path with the presets of this version. */
    private static String classPath(String version) {
        return Stream.of(classPath().split(":", -1))
                .map(jar -> jar.contains("/org/bytedeco/cuda/")
                        ? jar.replace(Path.of(jar).getParent().getFileName().toString(), version)
                        : jar)
                .collect(Collectors.joining(":"));
    }

    private static Map<String, Integer> declared() throws IOException {
        Map<String, Integer> values = new HashMap<>();
        String header = Files.readString(NATIVE.resolve("agent/cupti_abi.h"));
        CONSTANT.matcher(header)
                .results()
                .forEach(constant -> values.put(constant.group(1), Integer.parseInt(constant.group(2))));
        return values;
    }

    private Map<String, String> offsetsOfPresets(String version, List<String> fields) throws Exception {
        Path unpacked = Files.createDirectory(folder.resolve(version));
        List<String> words = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:TieredStopAtLevel=1",
                "-Dorg.bytedeco.javacpp.loadlibraries=false",
                "-cp",
                classPath(version),
                Presets.class.getName(),
                unpacked.toString(),
                StubCuda.cupti(version.startsWith("12.") ? 12 : 13)));
        words.addAll(fields);
        Process process = new ProcessBuilder(words)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        Map<String, String> offsets = new TreeMap<>();
        said.lines().map(line -> line.split("=")).forEach(pair -> offsets.put(pair[0], pair[1]));
        return offsets;
    }

    /** Prints the offsets of fields; arguments: a folder to unpack into, the libcupti to load, and the fields. */
    static final class Presets {
        private Presets() {}

        public static void main(String[] arguments) throws Exception {
            Path folder = Path.of(arguments[0]);
            System.load(arguments[1]);
            System.load(unpacked(folder, "/org/bytedeco/javacpp/linux-x86_64/libjnijavacpp.so"));
            System.load(unpacked(folder, "/org/bytedeco/cuda/linux-x86_64/libjnicupti.so"));
            for (String field : List.of(arguments).subList(2, arguments.length)) {
                int dot = field.indexOf('.');
                Class<? extends Pointer> type = latest(field.substring(0, dot));
                System.out.println(field + '=' + Loader.offsetof(type, field.substring(dot + 1)));
            }
        }

        /** The presets hold the latest form of each structure, such as CUpti_ActivityKernel11 where CUpti_ActivityKernel9 is asked for. */
        private static Class<? extends Pointer> latest(String structure) throws ClassNotFoundException {
            String stem = "org.bytedeco.cuda.cupti." + structure.replaceAll("\\d+$", "");
            for (int form = 30; form > 1; form--) {
                try {
                    return Class.forName(stem + form).asSubclass(Pointer.class);
                } catch (ClassNotFoundException earlier) {
                    // An earlier form, then.
                }
            }
            return Class.forName(stem).asSubclass(Pointer.class);
        }

        private static String unpacked(Path folder, String resource) throws IOException {
            Path file = folder.resolve(resource.substring(resource.lastIndexOf('/') + 1));
            try (InputStream in = Presets.class.getResourceAsStream(resource)) {
                Files.copy(Objects.requireNonNull(in, resource), file);
            }
            return file.toString();
        }
    }
}
