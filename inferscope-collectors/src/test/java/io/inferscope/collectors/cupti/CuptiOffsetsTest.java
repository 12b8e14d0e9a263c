package io.inferscope.collectors.cupti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bytedeco.cuda.cupti.CUpti_ActivityAPI;
import org.bytedeco.cuda.cupti.CUpti_ActivityContext4;
import org.bytedeco.cuda.cupti.CUpti_ActivityCudaEvent2;
import org.bytedeco.cuda.cupti.CUpti_ActivityDevice5;
import org.bytedeco.cuda.cupti.CUpti_ActivityExternalCorrelation;
import org.bytedeco.cuda.cupti.CUpti_ActivityKernel11;
import org.bytedeco.cuda.cupti.CUpti_ActivityMarker2;
import org.bytedeco.cuda.cupti.CUpti_ActivityMemcpy6;
import org.bytedeco.cuda.cupti.CUpti_ActivityMemcpyPtoP4;
import org.bytedeco.cuda.cupti.CUpti_ActivityMemset4;
import org.bytedeco.cuda.cupti.CUpti_ActivityOverhead3;
import org.bytedeco.cuda.cupti.CUpti_ActivitySynchronization2;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.javacpp.Pointer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * The offsets that the CUDA agent reads, against the structures of JavaCPP's CUPTI presets: these were compiled from NVIDIA's own
 * headers. An empty libcupti.so.13 satisfies the linker; no function of it is called.
 */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
class CuptiOffsetsTest {
    private static final Path HEADER = Path.of("../native/agent/cupti_abi.h");
    private static final Pattern CONSTANT = Pattern.compile("\\b([A-Z][A-Z_]+) = (\\d+)");

    private static final Map<String, Class<? extends Pointer>> STRUCTURES = Map.ofEntries(
            Map.entry("Kernel", CUpti_ActivityKernel11.class),
            Map.entry("Memcpy", CUpti_ActivityMemcpy6.class),
            Map.entry("Peer", CUpti_ActivityMemcpyPtoP4.class),
            Map.entry("Memset", CUpti_ActivityMemset4.class),
            Map.entry("Call", CUpti_ActivityAPI.class),
            Map.entry("Sync", CUpti_ActivitySynchronization2.class),
            Map.entry("Overhead", CUpti_ActivityOverhead3.class),
            Map.entry("Marker", CUpti_ActivityMarker2.class),
            Map.entry("External", CUpti_ActivityExternalCorrelation.class),
            Map.entry("Event", CUpti_ActivityCudaEvent2.class),
            Map.entry("Context", CUpti_ActivityContext4.class),
            Map.entry("Device", CUpti_ActivityDevice5.class));

    /** Constant of the header, structure, field; +4 reaches the thread in an object id, after the process (CUpti_ActivityObjectKindId). */
    private static final String FIELDS = """
            KERNEL_REGISTERS Kernel registersPerThread
            KERNEL_START Kernel start
            KERNEL_END Kernel end
            KERNEL_DEVICE Kernel deviceId
            KERNEL_CONTEXT Kernel contextId
            KERNEL_STREAM Kernel streamId
            KERNEL_GRID Kernel gridX
            KERNEL_BLOCK Kernel blockX
            KERNEL_STATIC_SHARED Kernel staticSharedMemory
            KERNEL_DYNAMIC_SHARED Kernel dynamicSharedMemory
            KERNEL_CORRELATION Kernel correlationId
            KERNEL_NAME Kernel name
            KERNEL_GRAPH_NODE Kernel graphNodeId
            KERNEL_GRAPH Kernel graphId
            MEMCPY_KIND Memcpy copyKind
            MEMCPY_FROM Memcpy srcKind
            MEMCPY_TO Memcpy dstKind
            MEMCPY_FLAGS Memcpy flags
            MEMCPY_BYTES Memcpy bytes
            MEMCPY_START Memcpy start
            MEMCPY_END Memcpy end
            MEMCPY_DEVICE Memcpy deviceId
            MEMCPY_CONTEXT Memcpy contextId
            MEMCPY_STREAM Memcpy streamId
            MEMCPY_CORRELATION Memcpy correlationId
            MEMCPY_GRAPH_NODE Memcpy graphNodeId
            MEMCPY_GRAPH Memcpy graphId
            PEER_FROM_DEVICE Peer srcDeviceId
            PEER_TO_DEVICE Peer dstDeviceId
            PEER_CORRELATION Peer correlationId
            PEER_GRAPH_NODE Peer graphNodeId
            PEER_GRAPH Peer graphId
            MEMSET_VALUE Memset value
            MEMSET_BYTES Memset bytes
            MEMSET_START Memset start
            MEMSET_END Memset end
            MEMSET_DEVICE Memset deviceId
            MEMSET_CONTEXT Memset contextId
            MEMSET_STREAM Memset streamId
            MEMSET_CORRELATION Memset correlationId
            MEMSET_MEMORY Memset memoryKind
            MEMSET_GRAPH_NODE Memset graphNodeId
            MEMSET_GRAPH Memset graphId
            API_CALLBACK Call cbid
            API_START Call start
            API_END Call end
            API_THREAD Call threadId
            API_CORRELATION Call correlationId
            API_RESULT Call returnValue
            SYNC_TYPE Sync type
            SYNC_START Sync start
            SYNC_END Sync end
            SYNC_CORRELATION Sync correlationId
            SYNC_CONTEXT Sync contextId
            SYNC_STREAM Sync streamId
            SYNC_EVENT Sync cudaEventId
            OVERHEAD_KIND Overhead overheadKind
            OVERHEAD_OBJECT_KIND Overhead objectKind
            OVERHEAD_THREAD Overhead objectId +4
            OVERHEAD_START Overhead start
            OVERHEAD_END Overhead end
            MARKER_FLAGS Marker flags
            MARKER_TIME Marker timestamp
            MARKER_ID Marker id
            MARKER_OBJECT_KIND Marker objectKind
            MARKER_THREAD Marker objectId +4
            MARKER_NAME Marker name
            MARKER_DOMAIN Marker domain
            EXTERNAL_KIND External externalKind
            EXTERNAL_ID External externalId
            EXTERNAL_CORRELATION External correlationId
            EVENT_CORRELATION Event correlationId
            EVENT_CONTEXT Event contextId
            EVENT_STREAM Event streamId
            EVENT_ID Event eventId
            CONTEXT_ID Context contextId
            CONTEXT_DEVICE Context deviceId
            DEVICE_MEMORY Device globalMemorySize
            DEVICE_MULTIPROCESSORS Device numMultiprocessors
            DEVICE_MAJOR Device computeCapabilityMajor
            DEVICE_MINOR Device computeCapabilityMinor
            DEVICE_ID Device id
            DEVICE_NAME Device name
            """;

    @TempDir
    static Path folder;

    @BeforeAll
    static void loadPresets() throws Exception {
        Path source = Files.writeString(folder.resolve("empty.c"), "int nothing;\n");
        Path cupti = folder.resolve("libcupti.so.13");
        int code = gcc("-shared", "-fPIC", "-Wl,-soname,libcupti.so.13", "-o", cupti.toString(), source.toString());
        assertThat(code).isZero();
        System.setProperty("org.bytedeco.javacpp.loadlibraries", "false");
        System.load(cupti.toString());
        System.load(unpack("org/bytedeco/javacpp/linux-x86_64/libjnijavacpp.so"));
        System.load(unpack("org/bytedeco/cuda/linux-x86_64/libjnicupti.so"));
    }

    private static int gcc(String... arguments) throws IOException, InterruptedException {
        List<String> command = new java.util.ArrayList<>(List.of("gcc"));
        command.addAll(List.of(arguments));
        try {
            return new ProcessBuilder(command).inheritIO().start().waitFor();
        } catch (IOException missing) {
            assumeTrue(System.getenv("CI") == null, "gcc is needed in CI");
            assumeTrue(false, "no gcc: the agent's offsets are not compared with the presets'");
            return 1;
        }
    }

    private static String unpack(String name) throws IOException {
        try (var in = CuptiOffsetsTest.class.getClassLoader().getResourceAsStream(name)) {
            Path file = folder.resolve(name.substring(name.lastIndexOf('/') + 1));
            Files.write(file, in.readAllBytes());
            return file.toString();
        }
    }

    private static Map<String, Integer> header() throws IOException {
        Map<String, Integer> constants = new TreeMap<>();
        Matcher constant = CONSTANT.matcher(Files.readString(HEADER));
        while (constant.find()) {
            constants.put(constant.group(1), Integer.parseInt(constant.group(2)));
        }
        return constants;
    }

    @Test
    void everyOffsetIsThatOfThePresetsStructure() throws Exception {
        Map<String, Integer> agents = new TreeMap<>();
        Map<String, Integer> presets = new TreeMap<>();
        Map<String, Integer> header = header();
        for (String line : FIELDS.lines().toList()) {
            String[] words = line.split(" ", -1);
            int more = words.length > 3 ? Integer.parseInt(words[3]) : 0;
            presets.put(words[0], Loader.offsetof(STRUCTURES.get(words[1]), words[2]) + more);
            agents.put(words[0], header.get(words[0]));
        }

        assertThat(agents).isEqualTo(presets);
    }

    @Test
    void whatIsReadLiesInsideTheStructure() throws Exception {
        Map<String, Integer> header = header();

        assertThat(STRUCTURES).allSatisfy((name, structure) -> {
            Integer read =
                    header.get(name.equals("Call") ? "API_READ" : name.toUpperCase(java.util.Locale.ROOT) + "_READ");
            assertThat(read).as(name).isNotNull().isLessThanOrEqualTo(Loader.sizeof(structure));
        });
    }

    @Test
    void noOffsetOfTheHeaderIsLeftOut() throws Exception {
        List<String> records = List.of(
                "KERNEL_",
                "MEMCPY_",
                "PEER_",
                "MEMSET_",
                "API_",
                "SYNC_",
                "OVERHEAD_",
                "MARKER_",
                "EXTERNAL_",
                "EVENT_",
                "CONTEXT_",
                "DEVICE_");
        List<String> values = List.of("MARKER_INSTANT", "MARKER_BEGIN", "MARKER_FINISH"); // flags, no offsets

        assertThat(header().keySet().stream()
                        .filter(name -> records.stream().anyMatch(name::startsWith))
                        .filter(name -> !name.endsWith("_READ") && !values.contains(name)))
                .allMatch(name -> FIELDS.contains(name + " "));
    }
}
