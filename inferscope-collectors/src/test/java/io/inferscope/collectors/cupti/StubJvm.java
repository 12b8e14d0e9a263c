package io.inferscope.collectors.cupti;

import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.inferscope.collectors.os.OwnThread;
import io.inferscope.scope.GpuCapture;
import java.nio.file.Path;
import java.time.Instant;

/**
 * A JVM that uses the stand-in of libcuda. Arguments are steps, taken in order, those of native/stubs/program.c and {@code open:FOLDER}, {@code open}, {@code quietly} (an open that says nothing), {@code nested},
 * {@code close}, {@code alive:N} (a thread launches N kernels and lives on for a while) and {@code exit}. It prints what captures say.
 */
final class StubJvm {
    private static final long KERNEL_NS = 1000;

    /** Names live as long as the program, as those of kernels do. */
    private static final Pointer[] NAMES = {
        text("gemm_64x64"), text("_ZN2at6native14vectorized_addIfEEvPT_i"), text("softmax"), text("flash_fwd")
    };

    private static final Pointer RANGE = text("decode step");

    /** What the stand-in exports. */
    interface Cuda extends Library {
        int cuInit(int flags);

        void stub_launch(Pointer name, int stream, long ns);

        void stub_launch_by_driver(Pointer name, int stream, long ns);

        void stub_graph(int kernels, int stream);

        void stub_copy(long bytes, int stream);

        void stub_peer_copy(long bytes, int stream);

        void stub_fill(long bytes, int stream);

        void stub_synchronize(int stream);

        void stub_get_device();

        void stub_event(int from, int to, int event);

        void stub_range(Pointer name, int begins, int id);

        void stub_external(long id);

        void stub_use_device(int device);
    }

    private final Cuda cuda;
    private GpuCapture capture = null;

    private StubJvm(Cuda cuda) {
        this.cuda = cuda;
    }

    private static Pointer text(String text) {
        Memory memory = new Memory(text.length() + 1L);
        memory.setString(0, text);
        return memory;
    }

    public static void main(String[] steps) throws Exception {
        StubJvm program = null;
        for (String step : steps) {
            if (step.equals("open-without-cuda")) {
                say(GpuCapture.open());
            } else {
                program = program == null ? new StubJvm(Native.load("libcuda.so.1", Cuda.class)) : program;
                program.step(step.split(":", -1));
            }
        }
        System.out.println("went on");
    }

    private static void say(GpuCapture capture) {
        System.out.println(capture.isRecording() ? "recording" : "not recording: " + capture.why());
    }

    private void step(String[] words) throws Exception {
        long count = words.length > 1 && words[1].matches("\\d+") ? Long.parseLong(words[1]) : 1;
        switch (words[0]) {
            case "init" -> cuda.cuInit(0);
            case "open" -> {
                capture = words.length > 1 ? GpuCapture.open(Path.of(words[1])) : GpuCapture.open();
                say(capture);
            }
            case "quietly" -> capture = GpuCapture.open();
            case "nested" -> say(GpuCapture.open());
            case "close" -> {
                capture.close();
                capture.close();
            }
            case "launch" -> launch(count);
            case "device" -> cuda.stub_use_device((int) count);
            case "forever" -> forever(1000);
            case "steadily" -> forever(20); // Some 40,000 records a second.
            case "slowly" -> forever(1);
            case "alive" -> onAThread(count);
            case "sleep" -> Thread.sleep(count);
            case "exit" -> System.exit(3);
            case "range" -> {
                cuda.stub_range(RANGE, 1, 1);
                launch(count);
                cuda.stub_range(Pointer.NULL, 0, 1);
            }
            case "external" -> {
                cuda.stub_external(count);
                launch(1);
            }
            case "graph" -> {
                for (int i = 0; i < count; i++) {
                    cuda.stub_graph(Integer.parseInt(words[2]), 7);
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    once(words[0]);
                }
            }
        }
    }

    private void once(String step) {
        switch (step) {
            case "driver" -> cuda.stub_launch_by_driver(NAMES[0], 7, KERNEL_NS);
            case "copy" -> cuda.stub_copy(4096, 7);
            case "peer" -> cuda.stub_peer_copy(4096, 7);
            case "fill" -> cuda.stub_fill(512, 7);
            case "sync" -> cuda.stub_synchronize(7);
            case "event" -> cuda.stub_event(7, 8, 3);
            case "quiet" -> cuda.stub_get_device();
            default -> throw new IllegalArgumentException(step);
        }
    }

    private void launch(long count) {
        for (int i = 0; i < count; i++) {
            cuda.stub_launch(NAMES[i & 3], 7 + (i & 1), KERNEL_NS);
        }
    }

    /** As the step of the same name in native/stubs/program.c. */
    private void forever(int pauseEvery) throws Exception {
        for (int i = 0; ; i++) {
            if (i % pauseEvery == 0) {
                Instant now = Instant.now();
                System.out.println(now.getEpochSecond() * 1_000_000_000L + now.getNano());
                Thread.sleep(1);
            }
            launch(1);
        }
    }

    private void onAThread(long count) throws Exception {
        Thread thread = new Thread(() -> {
            try {
                launch(count);
                System.out.println("thread " + OwnThread.current().tid());
                Thread.sleep(500);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        thread.start();
        thread.join();
    }
}
