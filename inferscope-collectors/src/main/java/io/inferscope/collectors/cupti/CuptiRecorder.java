package io.inferscope.collectors.cupti;

import io.inferscope.collectors.doctor.CuptiLibrary;
import io.inferscope.collectors.doctor.LinuxSystemCallProbes;
import io.inferscope.collectors.doctor.Machine;
import io.inferscope.collectors.os.NativeFunctions;
import io.inferscope.scope.device.DeviceRecorder;
import io.inferscope.scope.spool.SpoolWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Records the device work of this JVM by CUPTI, in process: docs/adr/0008. The first recording loads the libraries,
 * which stay loaded, as do the two callbacks for CUPTI.
 */
public final class CuptiRecorder implements DeviceRecorder {
    private static final String DRIVER = "libcuda.so.1";

    private static @Nullable Loaded loaded;

    /** The objects that are loaded once per process. */
    private record Loaded(Cupti cupti, NativeFunctions driver, ActivityBuffers buffers) {}

    @Override
    public Recording start(SpoolOpener opener) throws IOException {
        Loaded natives = load();
        SpoolWriter spool = opener.open();
        try {
            CuptiRecording recording = new CuptiRecording(natives.cupti(), natives.driver(), natives.buffers(), spool);
            recording.start();
            return recording;
        } catch (IOException refused) {
            spool.close();
            throw refused;
        }
    }

    private static synchronized Loaded load() throws IOException {
        if (loaded == null) {
            NativeFunctions driver = driver();
            CuptiLibrary library = CuptiSearch.find(System.getenv(), driver.storedInt("cuDriverGetVersion") / 1000);
            PresetLibraries.load(library);
            loaded = new Loaded(new Cupti(library.file()), driver, new ActivityBuffers());
        }
        return loaded;
    }

    private static NativeFunctions driver() throws IOException {
        try {
            return NativeFunctions.of(DRIVER);
        } catch (UnsatisfiedLinkError none) {
            throw new IOException("no NVIDIA driver: " + DRIVER + " cannot be loaded");
        }
    }

    /**
     * Finds the libcupti for this process: the one already loaded; otherwise the one beside its CUDA runtime; otherwise the
     * machine's.
     */
    private static final class CuptiSearch {
        /** Places in toolkits and wheels, relative to the folder of libcudart. */
        private static final List<String> BESIDE_RUNTIME =
                List.of("", "../../cuda_cupti/lib", "../extras/CUPTI/lib64", "../../../extras/CUPTI/lib64");

        private CuptiSearch() {}

        /**
         * Returns the library to use.
         *
         * @param driverMajor CUDA version of the driver; a libcupti newer than that cannot record
         * @throws IOException when there is none
         */
        static CuptiLibrary find(Map<String, String> environment, int driverMajor) throws IOException {
            Machine machine = new Machine(Path.of("/"), environment, new LinuxSystemCallProbes());
            List<String> mapped = mappedFiles();
            List<CuptiLibrary> found = new ArrayList<>();
            if (environment.getOrDefault(CuptiLibrary.NAMED, "").isEmpty()) {
                found.addAll(CuptiLibrary.inFolders(machine, foldersOf(mapped, "libcupti.so")));
                List<String> runtimes = foldersOf(mapped, "libcudart.so").stream()
                        .flatMap(folder -> BESIDE_RUNTIME.stream().map(below -> folder + "/" + below))
                        .toList();
                found.addAll(CuptiLibrary.inFolders(machine, runtimes));
            }
            found.addAll(CuptiLibrary.find(machine, List.of()));
            return found.stream()
                    .min(Comparator.comparingInt(
                            library -> misfit(library, driverMajor))) // The first of equally suitable ones.
                    .orElseThrow(() ->
                            new IOException("no libcupti was found: not loaded by this process, not beside its CUDA"
                                    + " runtime, not on the library path, not in a CUDA toolkit; install the CUDA toolkit's CUPTI or name the file in "
                                    + CuptiLibrary.NAMED));
        }

        private static int misfit(CuptiLibrary library, int driverMajor) {
            int newer = library.major() - driverMajor;
            return driverMajor == 0 ? 0 : newer > 0 ? newer * 100 : -newer;
        }

        private static List<String> foldersOf(List<String> files, String name) {
            return files.stream()
                    .filter(file -> file.substring(file.lastIndexOf('/') + 1).startsWith(name))
                    .map(file -> file.substring(0, file.lastIndexOf('/')))
                    .distinct()
                    .toList();
        }

        private static List<String> mappedFiles() throws IOException {
            try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1)) {
                return lines.filter(line -> line.indexOf('/') >= 0)
                        .map(line -> line.substring(line.indexOf('/')))
                        .distinct()
                        .toList();
            }
        }
    }
}
