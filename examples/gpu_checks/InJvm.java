import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import io.inferscope.scope.GpuCapture;
import java.nio.file.Path;

/**
 * A JVM that records its own GPU work, for lab/gpu-check: {@code InJvm FOLDER}. It launches a known number of kernels by the driver's public functions, as
 * workload.py's by_driver does, and prints that number as one line of JSON.
 */
public final class InJvm {
    private static final int KERNELS = 500;

    /** A kernel that does nothing; the checks count kernels of this name. */
    private static final String PTX =
            ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry elementwise_nothing() { ret; }\n";

    /** The driver. */
    public interface Cuda extends Library {
        int cuInit(int flags);

        int cuDevicePrimaryCtxRetain(PointerByReference context, int device);

        int cuCtxSetCurrent(Pointer context);

        int cuModuleLoadData(PointerByReference module, Pointer image);

        int cuModuleGetFunction(PointerByReference function, Pointer module, String name);

        int cuLaunchKernel(
                Pointer function,
                int gridX,
                int gridY,
                int gridZ,
                int blockX,
                int blockY,
                int blockZ,
                int sharedBytes,
                Pointer stream,
                Pointer arguments,
                Pointer extra);

        int cuCtxSynchronize();
    }

    private InJvm() {}

    public static void main(String[] words) {
        Cuda cuda = Native.load("libcuda.so.1", Cuda.class);
        PointerByReference context = new PointerByReference();
        PointerByReference module = new PointerByReference();
        PointerByReference function = new PointerByReference();
        Memory image = new Memory(PTX.length() + 1L);
        image.setString(0, PTX);
        check("cuInit", cuda.cuInit(0));
        check("cuDevicePrimaryCtxRetain", cuda.cuDevicePrimaryCtxRetain(context, 0));
        check("cuCtxSetCurrent", cuda.cuCtxSetCurrent(context.getValue()));
        check("cuModuleLoadData", cuda.cuModuleLoadData(module, image));
        check("cuModuleGetFunction", cuda.cuModuleGetFunction(function, module.getValue(), "elementwise_nothing"));
        try (GpuCapture capture = GpuCapture.open(Path.of(words[0]))) {
            if (!capture.isRecording()) {
                fail(capture.why());
            }
            for (int i = 0; i < KERNELS; i++) {
                check(
                        "cuLaunchKernel",
                        cuda.cuLaunchKernel(function.getValue(), 1, 1, 1, 32, 1, 1, 0, null, null, null));
            }
            check("cuCtxSynchronize", cuda.cuCtxSynchronize());
        }
        System.out.println("{\"kernels\": " + KERNELS + "}");
    }

    private static void check(String call, int result) {
        if (result != 0) {
            fail(call + " returned " + result);
        }
    }

    private static void fail(String why) {
        System.err.println(why);
        System.exit(1);
    }
}
