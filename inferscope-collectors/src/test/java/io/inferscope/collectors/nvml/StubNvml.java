package io.inferscope.collectors.nvml;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.collectors.os.NativeFolder;
import io.inferscope.timeline.spool.CCompiler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Builds the libnvidia-ml.so.1 of src/test/c, and lays the presets' native parts out as an installation has them. */
final class StubNvml {
    private static final Path SOURCE = Path.of("src/test/c/nvml_stub.c");
    private static final List<String> NATIVES = List.of(
            "org/bytedeco/javacpp/linux-x86_64/libjnijavacpp.so", "org/bytedeco/cuda/linux-x86_64/libjninvml.so");

    private StubNvml() {}

    /** Returns a library built with those compiler options; skips the test where there is no gcc, and says so. */
    static Path build(Path folder, String... options) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        Path library = folder.resolve("libnvidia-ml.so.1");
        CCompiler.library(library, SOURCE.toString(), List.of(options));
        return library;
    }

    /** Returns an installation's folder that holds the native libraries. */
    static Path home(Path folder) throws IOException {
        Path natives = NativeFolder.of(folder);
        Files.createDirectories(natives);
        for (String name : NATIVES) {
            try (var in = StubNvml.class.getClassLoader().getResourceAsStream(name)) {
                assumeTrue(in != null, "the presets have no native part for this processor");
                Files.write(natives.resolve(name.substring(name.lastIndexOf('/') + 1)), in.readAllBytes());
            }
        }
        return folder;
    }
}
