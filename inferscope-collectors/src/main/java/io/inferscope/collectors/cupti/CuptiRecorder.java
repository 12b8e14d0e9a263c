package io.inferscope.collectors.cupti;

import io.inferscope.collectors.doctor.CuptiLibrary;
import io.inferscope.collectors.os.NativeFunctions;
import io.inferscope.scope.device.DeviceRecorder;
import io.inferscope.scope.spool.SpoolWriter;
import java.io.IOException;
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
}
