package io.inferscope.collectors.cupti;

import io.inferscope.collectors.doctor.CuptiLibrary;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Loads a libcupti and, against it, the presets' native parts.
 *
 * <p>The presets' own loader would require CUDA's runtime and unpack into the user's home; it is disabled while their
 * classes initialise, and the libraries are loaded by path. The native part names the libcupti that it was built for.
 * For a libcupti of an earlier CUDA, whose functions and record prefixes are equal, the name is replaced in the
 * unpacked copy.
 */
final class PresetLibraries {
    private static final int BUILT_FOR = 13;
    private static final int OLDEST = 12;
    private static final String LOADING = "org.bytedeco.javacpp.loadlibraries";
    private static final String GLOBAL = "org.bytedeco.javacpp.";
    private static final String STRUCTURES = "org.bytedeco.cuda.cupti.";

    private static final List<String> CLASSES = List.of(
            GLOBAL + "Loader",
            GLOBAL + "Pointer",
            GLOBAL + "BytePointer",
            GLOBAL + "IntPointer",
            GLOBAL + "LongPointer",
            GLOBAL + "SizeTPointer",
            GLOBAL + "PointerPointer",
            GLOBAL + "FunctionPointer",
            "org.bytedeco.cuda.cudart.CUctx_st",
            "org.bytedeco.cuda.global.cupti",
            STRUCTURES + "CUpti_BuffersCallbackRequestFunc",
            STRUCTURES + "CUpti_BuffersCallbackCompleteFunc",
            STRUCTURES + "CUpti_Activity",
            STRUCTURES + "CUpti_ActivityKernel11",
            STRUCTURES + "CUpti_ActivityMemcpy6",
            STRUCTURES + "CUpti_ActivityMemcpyPtoP4",
            STRUCTURES + "CUpti_ActivityMemset4",
            STRUCTURES + "CUpti_ActivityAPI",
            STRUCTURES + "CUpti_ActivitySynchronization2",
            STRUCTURES + "CUpti_ActivityOverhead3",
            STRUCTURES + "CUpti_ActivityMarker2",
            STRUCTURES + "CUpti_ActivityObjectKindId",
            STRUCTURES + "CUpti_ActivityExternalCorrelation",
            STRUCTURES + "CUpti_ActivityCudaEvent2",
            STRUCTURES + "CUpti_ActivityContext4",
            STRUCTURES + "CUpti_ActivityDevice5");

    private PresetLibraries() {}

    /**
     * Loads the libraries. If one fails, those before it stay loaded.
     *
     * @throws IOException if one cannot be loaded; the message names it and the remedy
     */
    static void load(CuptiLibrary library) throws IOException {
        if (library.major() < OLDEST || library.major() > BUILT_FOR) {
            throw new IOException(library.file() + " is of CUDA " + library.major() + "; CUDA " + OLDEST + " and "
                    + BUILT_FOR + " are known: use `inferscope run`, whose agent knows more");
        }
        Path folder = Files.createTempDirectory("inferscope-cupti");
        try {
            System.load(new File(library.file()).getAbsolutePath());
            System.load(unpack(folder, "/org/bytedeco/javacpp/linux-x86_64/libjnijavacpp.so", BUILT_FOR));
            System.load(unpack(folder, "/org/bytedeco/cuda/linux-x86_64/libjnicupti.so", library.major()));
            initialise();
        } catch (LinkageError | ClassNotFoundException e) {
            throw new IOException("JavaCPP's CUDA presets cannot be loaded: " + e.getMessage()
                    + "; they need org.bytedeco:cuda and javacpp with their linux-x86_64 parts on the class path, and a TMPDIR"
                    + " that permits execution");
        } finally {
            delete(folder); // A loaded library no longer needs its file's name.
        }
    }

    private static String unpack(Path folder, String resource, int generation) throws IOException {
        Path file = folder.resolve(resource.substring(resource.lastIndexOf('/') + 1));
        try (InputStream in = PresetLibraries.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IOException("JavaCPP's CUDA presets are not on the class path: add org.bytedeco:cuda and"
                        + " org.bytedeco:javacpp with their linux-x86_64 parts");
            }
            byte[] bytes = in.readAllBytes();
            Files.write(file, generation == BUILT_FOR ? bytes : linkedTo(generation, bytes));
        }
        return file.toString();
    }

    /**
     * Replaces the names of the required library and its symbol version by those of another generation, which have the
     * same length.
     */
    static byte[] linkedTo(int generation, byte[] library) throws IOException {
        String from = "libcupti.so." + BUILT_FOR;
        String to = "libcupti.so." + generation;
        byte[] name = (from + '\0').getBytes(StandardCharsets.US_ASCII);
        ByteBuffer bytes = ByteBuffer.wrap(library.clone()).order(ByteOrder.LITTLE_ENDIAN);
        int names = 0;
        int versions = 0;
        for (int at = 0; at + name.length <= library.length; at++) {
            if (bytes.get(at) == name[0] && bytes.slice(at, name.length).equals(ByteBuffer.wrap(name))) {
                bytes.put(at, (to + '\0').getBytes(StandardCharsets.US_ASCII));
                names++;
            } else if (at % 4 == 0 && bytes.getInt(at) == elfHash(from)) { // vna_hash, ELF gABI, "Symbol versioning"
                bytes.putInt(at, elfHash(to));
                versions++;
            }
        }
        if (names != 1 || versions != 1) {
            throw new IOException("these CUDA presets are linked in a way that is not known: use `inferscope run`");
        }
        return bytes.array();
    }

    /** The hash of symbol names: ELF gABI, "Hash table". */
    private static int elfHash(String name) {
        int hash = 0;
        for (int i = 0; i < name.length(); i++) {
            hash = (hash << 4) + name.charAt(i);
            int high = hash & 0xf000_0000;
            hash = (hash ^ (high >>> 24)) & ~high;
        }
        return hash;
    }

    /**
     * Initialises the presets' classes without their loader. JavaCPP classes that the program initialises during these
     * 10 ms would not load their libraries.
     */
    private static void initialise() throws ClassNotFoundException {
        String before = System.getProperty(LOADING);
        System.setProperty(LOADING, "false");
        try {
            for (String name : CLASSES) {
                Class.forName(name, true, PresetLibraries.class.getClassLoader());
            }
        } finally {
            if (before == null) {
                System.clearProperty(LOADING);
            } else {
                System.setProperty(LOADING, before);
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        for (String name : List.of("libjnijavacpp.so", "libjnicupti.so")) {
            Files.deleteIfExists(folder.resolve(name));
        }
        Files.delete(folder);
    }
}
