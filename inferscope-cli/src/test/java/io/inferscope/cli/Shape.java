package io.inferscope.cli;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import java.util.function.BiConsumer;

/** Timelines of {@code n} of something, drawn to be awkward: whatever looks at all of one kind for each of another takes quadratic time on one of them. */
@SuppressWarnings("ImmutableEnumChecker") // The drawings hold nothing.
enum Shape {
    /** A program whose main thread gives work to four threads by a queue; each waits for the GIL now and then. */
    QUEUE(30_000, (draw, n) -> {
        int main = draw.main(10_000L * n);
        int[] workers = {draw.thread("w1"), draw.thread("w2"), draw.thread("w3"), draw.thread("w4")};
        for (int i = 0; i < n; i++) {
            long ns = 10_000L * i;
            int worker = workers[i % 4];
            draw.handOver(main, ns, worker, ns - 5_000, ns + 100, HandOver.QUEUE);
            draw.handOver(worker, ns + 6_000, main, ns + 200, ns + 6_000, HandOver.QUEUE);
            draw.sample(worker, ns + 100, ns + 6_000, 1, "work.py(3): work");
            draw.state(worker, ns, ns + 10_000, 6_000, 0, WaitReason.FUTEX);
            draw.sample(main, ns, ns + 10_000, i % 2 == 0 ? 2 : 0, "main.py(9): main", "threading.py(320): wait");
            draw.state(main, ns, ns + 10_000, 100, i % 3 == 0 ? 900 : 0, WaitReason.FUTEX);
        }
    }),
    /** Two threads whose waits for each other overlap, as no program has them; then one works, for which the other waits. */
    OVERLAPPING_WAITS(10_000, (draw, n) -> {
        long untilNs = 10_000L * n;
        int main = draw.main(untilNs);
        int other = draw.thread("other");
        for (int i = 0; i < n; i++) {
            draw.handOver(other, untilNs, main, i, untilNs, HandOver.QUEUE);
            draw.handOver(main, untilNs / 2, other, i, untilNs / 2, HandOver.QUEUE);
            draw.sample(other, (untilNs + 10_000L * i) / 2, (untilNs + 10_000L * i) / 2 + 5_000, 1, "work.py(3): work");
            draw.state(other, 10_000L * i, 10_000L * (i + 1), i < n / 2 ? 0 : 9_000, 0, WaitReason.FUTEX);
            draw.state(main, 10_000L * i, 10_000L * (i + 1), 0, 0, WaitReason.FUTEX);
        }
    }),
    /** Tasks of an event loop, each on a line of its own, beside threads that compete for CPUs. */
    ASYNCIO_SCOPES(10_000, (draw, n) -> {
        int main = draw.main(10_000L * n);
        int other = draw.thread("other");
        for (int i = 0; i < n; i++) {
            long ns = 10_000L * i;
            draw.row(RowKind.ANNOTATION, draw.thread("task " + i), ns, ns + 50_000, "handle");
            draw.sample(main, ns, ns + 10_000, 0, "main.py(9): main");
            draw.state(main, ns, ns + 10_000, 2_000, 8_000, WaitReason.UNKNOWN);
            draw.state(other, ns, ns + 10_000, 10_000, 0, WaitReason.UNKNOWN);
        }
    }),
    /** 200 threads that wait for one device, all over each other. */
    OVERLAPPING_SYNCS(20_000, (draw, n) -> {
        int[] threads = new int[200];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = draw.thread("t" + i);
        }
        int stream = draw.stream("0", "7");
        for (int i = 0; i < n; i++) {
            int thread = threads[i % 200];
            long ns = 10_000L * i;
            int launch = draw.row(RowKind.RUNTIME_CALL, thread, ns, ns + 2_000, "cudaLaunchKernel");
            draw.launch(launch, draw.row(RowKind.KERNEL, stream, ns + 3_000, ns + 11_000, "gemm"));
            draw.row(RowKind.RUNTIME_CALL, thread, ns + 3_000, 10_000L * n + i, "cudaStreamSynchronize");
        }
    }),
    /** One launch that starts all kernels. */
    ONE_LAUNCH(10_000, (draw, n) -> {
        int stream = draw.stream("0", "7");
        int launch = draw.row(RowKind.RUNTIME_CALL, draw.thread("main"), 0, 2_000, "cudaLaunchKernel");
        for (int i = 0; i < n; i++) {
            long ns = 5_000 + 10_000L * i;
            draw.launch(launch, draw.row(RowKind.KERNEL, stream, ns, ns + 8_000, "gemm"));
        }
    }),
    /** The same as the replay of a graph. */
    ONE_GRAPH(10_000, (draw, n) -> {
        int stream = draw.stream("0", "7");
        int launch = draw.row(RowKind.GRAPH_LAUNCH, draw.thread("main"), 0, 2_000, "cudaGraphLaunch");
        for (int i = 0; i < n; i++) {
            long ns = 5_000 + 10_000L * i;
            draw.link(LinkKind.GRAPH_REPLAY, launch, draw.row(RowKind.KERNEL, stream, ns, ns + 8_000, "gemm"));
        }
    }),
    /** A stream for each kernel; a launch and a kernel lack their other half. */
    STREAMS(10_000, (draw, n) -> {
        int main = draw.thread("main");
        draw.row(RowKind.RUNTIME_CALL, main, 10_000L * n, 10_000L * n + 2_000, "cudaLaunchKernel");
        draw.row(RowKind.KERNEL, draw.stream("0", "s0"), 500, 1_500, "gemm");
        for (int i = 0; i < n; i++) {
            long ns = 10_000L * i;
            int launch = draw.row(RowKind.RUNTIME_CALL, main, ns, ns + 2_000, "cudaLaunchKernel");
            draw.launch(launch, draw.row(RowKind.KERNEL, draw.stream("0", "s" + i), ns + 3_000, ns + 11_000, "gemm"));
        }
    }),
    /** A device for each kernel. */
    DEVICES(1_000, (draw, n) -> {
        int main = draw.thread("main");
        for (int i = 0; i < n; i++) {
            long ns = 10_000L * i;
            int launch = draw.row(RowKind.RUNTIME_CALL, main, ns, ns + 2_000, "cudaLaunchKernel");
            draw.launch(launch, draw.row(RowKind.KERNEL, draw.stream("d" + i, "7"), ns + 3_000, ns + 11_000, "gemm"));
        }
    }),
    /** Devices of one node that take part in the same collectives, which each thread waits for. */
    COLLECTIVES(100, (draw, n) -> {
        for (int device = 0; device < n; device++) {
            int thread = draw.thread("rank " + device);
            int stream = draw.stream("d" + device, "7");
            for (int i = 0; i < 100; i++) {
                long ns = 1_000_000L * i;
                int launch = draw.row(RowKind.RUNTIME_CALL, thread, ns, ns + 2_000, "cudaLaunchKernel");
                String name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
                draw.launch(launch, draw.row(RowKind.KERNEL, stream, ns + 3_000 + device, ns + 900_000, name));
                draw.row(RowKind.RUNTIME_CALL, thread, ns + 4_000, ns + 901_000, "cudaDeviceSynchronize");
            }
        }
    }),
    /** Functions that call each other without end, each of which launches. */
    PYTHON_DEPTH(10_000, (draw, n) -> {
        int main = draw.thread("main");
        int stream = draw.stream("0", "7");
        for (int i = 0; i < n; i++) {
            draw.row(RowKind.PYTHON_FUNCTION, main, 1_000L * i, 20_000L * n - 1_000L * i, "rec.py(" + i % 7 + "): f");
        }
        for (int i = 0; i < n; i++) {
            long ns = 1_000L * n + 10_000L * i;
            int launch = draw.row(RowKind.RUNTIME_CALL, main, ns, ns + 2_000, "cudaLaunchKernel");
            draw.launch(launch, draw.row(RowKind.KERNEL, stream, ns + 3_000, ns + 9_000, "gemm"));
        }
    }),
    /** The same of operators without a device. */
    OPERATOR_DEPTH(10_000, (draw, n) -> {
        int main = draw.thread("main");
        for (int i = 0; i < n; i++) {
            draw.row(RowKind.OPERATOR, main, 1_000L * i, 3_000L * n - 1_000L * i, "aten::op" + i % 7);
        }
    }),
    /** Modules inside each other, around all launches. */
    MODULE_DEPTH(10_000, (draw, n) -> {
        int main = draw.thread("main");
        int stream = draw.stream("0", "7");
        for (int i = 0; i < n; i++) {
            draw.row(RowKind.PYTHON_FUNCTION, main, 1_000L * i, 20_000L * n - 1_000L * i, "nn.Module: M_" + i % 50);
        }
        for (int i = 0; i < n; i++) {
            long ns = 1_000L * n + 10_000L * i;
            int launch = draw.row(RowKind.RUNTIME_CALL, main, ns, ns + 2_000, "cudaLaunchKernel");
            draw.launch(launch, draw.row(RowKind.KERNEL, stream, ns + 3_000, ns + 9_000, "gemm"));
        }
    }),
    /** Operators that take long, inside each other, with the launches after them. */
    LONG_OPERATOR_DEPTH(10_000, (draw, n) -> {
        int main = draw.thread("main");
        int stream = draw.stream("0", "7");
        for (int i = 0; i < n; i++) {
            draw.row(RowKind.OPERATOR, main, 2_000L * i, 2_000_000L + 8_000L * n - 2_000L * i, "aten::op" + i % 7);
        }
        for (int i = 0; i < n; i++) {
            long ns = 3_000_000L + 8_000L * n + 10_000L * i;
            int launch = draw.row(RowKind.RUNTIME_CALL, main, ns, ns + 2_000, "cudaLaunchKernel");
            draw.launch(launch, draw.row(RowKind.KERNEL, stream, ns + 3_000, ns + 9_000, "gemm"));
        }
    }),
    /** A compilation around ranges inside each other. */
    COMPILATION_DEPTH(10_000, (draw, n) -> {
        int main = draw.main(10_000L * n);
        for (int i = 0; i < n; i++) {
            String name = i == 0 ? "torch.compile" : "load";
            int row = draw.row(RowKind.ANNOTATION, main, 1_000L * i, 9_000L * n - 1_000L * i, name);
            draw.attribute(row, Attribute.ACTIVITY, RangeActivity.LOAD.ordinal());
        }
    }),
    /** Kernels of one stream that all run until the end, as only damaged recordings have them. */
    OVERLAPPING_KERNELS(10_000, (draw, n) -> {
        int main = draw.thread("main");
        int stream = draw.stream("0", "7");
        for (int i = 0; i < n; i++) {
            long ns = 10_000L * i;
            int launch = draw.row(RowKind.RUNTIME_CALL, main, ns, ns + 2_000, "cudaLaunchKernel");
            draw.launch(launch, draw.row(RowKind.KERNEL, stream, ns + 3_000, 10_000L * n + i, "gemm"));
        }
    }),
    /** Steps that all last until the end. */
    OVERLAPPING_STEPS(5_000, (draw, n) -> {
        int main = draw.thread("main");
        int stream = draw.stream("0", "7");
        for (int i = 0; i < n; i++) {
            long ns = 10_000L * i;
            draw.row(RowKind.ANNOTATION, main, ns, 10_000L * n + i, "ProfilerStep#" + i);
            int launch = draw.row(RowKind.RUNTIME_CALL, main, ns, ns + 2_000, "cudaLaunchKernel");
            draw.launch(launch, draw.row(RowKind.KERNEL, stream, ns + 3_000, ns + 9_000, "gemm"));
        }
    }),
    /** Scopes of one thread that overlap without nesting. */
    OVERLAPPING(10_000, (draw, n) -> {
        int main = draw.thread("main");
        for (int i = 0; i < n; i++) {
            draw.row(RowKind.ANNOTATION, main, 1_000L * i, 1_000L * (n + i), "step");
        }
    }),
    /** A thread for each call. */
    THREADS(10_000, (draw, n) -> {
        int main = draw.main(1_000L * n);
        for (int i = 0; i < n; i++) {
            draw.state(main, 1_000L * i, 1_000L * i + 1_000, 100, i % 2 == 0 ? 900 : 0, WaitReason.FUTEX);
            int thread = draw.thread("t" + i);
            draw.row(RowKind.ANNOTATION, thread, 1_000L * i, 1_000L * i + 5_000, "step");
            draw.state(thread, 1_000L * i, 1_000L * i + 5_000, 2_000, 2_000, WaitReason.FUTEX);
            draw.sample(thread, 1_000L * i, 1_000L * i + 5_000, 1 + i % 2, "work.py(3): work");
        }
    }),
    /** A server that starts a thread for each request; the main thread waits for it. */
    STARTED_THREADS(1_000, (draw, n) -> {
        int main = draw.main(10_000L * n);
        int server = draw.thread("server");
        for (int i = 0; i < n; i++) {
            long ns = 10_000L * i;
            draw.state(main, ns, ns + 10_000, 0, 0, WaitReason.FUTEX);
            draw.sample(main, ns, ns + 10_000, 0, "main.py(9): main", "threading.py(320): wait");
            draw.state(server, ns, ns + 10_000, 2_000, 3_000, WaitReason.SOCKET);
            draw.sample(server, ns, ns + 10_000, 1, "server.py(" + i % 9 + "): serve");
            int thread = draw.thread("t" + i);
            draw.handOver(server, ns + 2_000, thread, ns + 2_000, ns + 2_500, HandOver.START);
            draw.row(RowKind.REQUEST, thread, ns + 2_500, ns + 9_000, "GET /");
            draw.state(thread, ns + 2_500, ns + 9_000, 4_000, 2_000, WaitReason.UNKNOWN);
            draw.sample(thread, ns + 2_500, ns + 9_000, 1, "work.py(3): work");
            draw.handOver(thread, ns + 9_000, main, ns + 100, ns + 9_000, HandOver.QUEUE);
        }
    }),
    /** A process for each call. */
    PROCESSES(10_000, (draw, n) -> {
        int main = draw.main(10_000L * n);
        for (int i = 0; i < n; i++) {
            long ns = 10_000L * i;
            int child = draw.threadOf("p" + i, "main");
            draw.row(RowKind.PROCESS, child, ns, ns + 9_000, "sh");
            draw.state(child, ns, ns + 9_000, 9_000, 0, WaitReason.UNKNOWN);
            draw.state(main, ns, ns + 10_000, 500, 500, WaitReason.CHILD_PROCESS);
            draw.handOver(child, ns + 9_000, main, ns, ns + 9_000, HandOver.START);
        }
    }),
    /** Launches that all lead to one kernel. */
    FLOWS_TO_ONE(20_000, (draw, n) -> {
        int main = draw.thread("main");
        int kernel = draw.row(RowKind.KERNEL, draw.stream("0", "7"), 10_000L * n, 10_000L * n + 9_000, "gemm");
        for (int i = 0; i < n; i++) {
            long ns = 10_000L * i;
            draw.launch(draw.row(RowKind.RUNTIME_CALL, main, ns, ns + 2_000, "cudaLaunchKernel"), kernel);
        }
    }),
    /** Everything at one instant. */
    EQUAL_STAMPS(10_000, (draw, n) -> {
        int main = draw.thread("main");
        int stream = draw.stream("0", "7");
        for (int i = 0; i < n; i++) {
            int launch = draw.row(RowKind.RUNTIME_CALL, main, 1_000, 3_000, "cudaLaunchKernel");
            draw.launch(launch, draw.row(RowKind.KERNEL, stream, 4_000, 9_000, "gemm"));
            draw.row(RowKind.OPERATOR, main, 500, 3_500, "aten::mm");
        }
    }),
    /** A name of its own for each row. */
    NAMES(10_000, (draw, n) -> {
        int main = draw.thread("main");
        int stream = draw.stream("0", "7");
        for (int i = 0; i < n; i++) {
            long ns = 10_000L * i;
            draw.row(RowKind.ANNOTATION, main, ns, ns + 9_500, "scope " + i);
            draw.row(RowKind.OPERATOR, main, ns, ns + 9_000, "aten::op" + i);
            int launch = draw.row(RowKind.RUNTIME_CALL, main, ns, ns + 2_000, "cudaLaunchKernel");
            draw.launch(launch, draw.row(RowKind.KERNEL, stream, ns + 3_000, ns + 9_000, "gemm" + i));
        }
    }),
    /** A function of its own for each sample. */
    SAMPLED_NAMES(10_000, (draw, n) -> {
        int main = draw.thread("main");
        for (int i = 0; i < n; i++) {
            long ns = 10_000L * i;
            draw.sample(main, ns, ns + 10_000, 0, "main.py(3): main", "f" + i + ".py(" + i + "): f" + i);
            draw.state(main, ns, ns + 10_000, 8_000, 1_000, WaitReason.UNKNOWN);
        }
    }),
    /** Communication of many groups on one stream each. */
    COMMUNICATORS(10_000, (draw, n) -> {
        int main = draw.thread("main");
        for (int i = 0; i < n; i++) {
            long ns = 10_000L * i;
            int launch = draw.row(RowKind.RUNTIME_CALL, main, ns, ns + 2_000, "cudaLaunchKernel");
            String name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(" + i + ")";
            draw.launch(launch, draw.row(RowKind.KERNEL, draw.stream("0", "c" + i), ns + 3_000, ns + 11_000, name));
            draw.launch(launch, draw.row(RowKind.KERNEL, draw.stream("0", "7"), ns + 3_000, ns + 11_000, "gemm"));
        }
    }),
    /** A counter for each value. */
    COUNTERS(10_000, (draw, n) -> {
        int main = draw.thread("main");
        draw.row(RowKind.ANNOTATION, main, 0, 10_000L * n, "step");
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < 2; j++) {
                draw.counter(main, 10_000L * i + j, "counter " + i, i + j);
            }
        }
    }),
    /** One counter with all values. */
    COUNTER_VALUES(20_000, (draw, n) -> {
        int main = draw.thread("main");
        draw.row(RowKind.ANNOTATION, main, 0, 10_000L * n, "step");
        for (int i = 0; i < n; i++) {
            draw.counter(main, 10_000L * i, "host.cpu", i % 9);
        }
    }),
    /** Threads that wait for one lock, one after the other. */
    LOCKS(10_000, (draw, n) -> {
        draw.attribute(
                draw.row(RowKind.ANNOTATION, draw.thread("t0"), 0, 10_000L * n, "serve"), Attribute.USER_SCOPE, 1);
        int[] threads = new int[20];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = draw.thread("t" + i);
        }
        for (int i = 0; i < n; i++) {
            int thread = threads[i % 20];
            long ns = 10_000L * i;
            int state = draw.state(thread, ns, ns + 200_000, 10_000, 0, WaitReason.FUTEX);
            draw.attribute(state, Attribute.FUTEX, 1 + i % 1_000);
            draw.sample(thread, ns, ns + 190_000, 0, "main.py(3): main");
            draw.sample(thread, ns + 190_000, ns + 200_000, 1, "work.py(3): work");
        }
    }),
    /** Requests that overlap, each with a piece on another thread. */
    REQUESTS(10_000, (draw, n) -> {
        int main = draw.main(10_000L * n);
        int pool = draw.thread("pool");
        for (int i = 0; i < n; i++) {
            long ns = 10_000L * i;
            int request = draw.row(RowKind.REQUEST, main, ns, ns + 300_000, "POST /embed");
            draw.row(RowKind.ANNOTATION, pool, ns, ns + 8_000, "forward Model");
            draw.state(main, ns, ns + 10_000, 500, 500, WaitReason.SOCKET);
            draw.state(pool, ns, ns + 10_000, 8_000, 500, WaitReason.FUTEX);
            draw.handOver(main, ns, pool, ns - 2_000, ns, HandOver.QUEUE);
            draw.attribute(request, Attribute.ITEMS, 5);
        }
    }),
    /** Steps with a graph replay of a few kernels each. */
    GRAPHS(10_000, (draw, n) -> {
        int main = draw.thread("main");
        int stream = draw.stream("0", "7");
        for (int i = 0; i < n; i++) {
            long ns = 10_000L * i;
            draw.row(RowKind.ANNOTATION, main, ns, ns + 9_500, "ProfilerStep#" + i);
            int launch = draw.row(RowKind.GRAPH_LAUNCH, main, ns, ns + 2_000, "cudaGraphLaunch");
            for (int j = 0; j < 3; j++) {
                draw.link(
                        LinkKind.GRAPH_REPLAY,
                        launch,
                        draw.row(RowKind.KERNEL, stream, ns + 3_000 + 2_000L * j, ns + 4_500 + 2_000L * j, "k" + j));
            }
            draw.row(RowKind.RUNTIME_CALL, main, ns + 2_500, ns + 9_000, "cudaStreamSynchronize");
        }
    });

    /** A size at which linear cost is some ten milliseconds, and quadratic cost at ten times the size many seconds. */
    final int n;

    private final BiConsumer<Drawing, Integer> drawing;

    Shape(int n, BiConsumer<Drawing, Integer> drawing) {
        this.n = n;
        this.drawing = drawing;
    }

    Timeline draw(int size) {
        Drawing draw = new Drawing();
        drawing.accept(draw, size);
        return draw.builder.build("drawn");
    }

    private static final class Drawing {
        private final TimelineBuilder builder = new TimelineBuilder();

        int thread(String name) {
            return threadOf("1", name);
        }

        /** A thread that is judged: it has a scope of the user's own. */
        int main(long untilNs) {
            int main = thread("main");
            attribute(row(RowKind.ANNOTATION, main, 0, untilNs, "serve"), Attribute.USER_SCOPE, 1);
            return main;
        }

        int threadOf(String process, String name) {
            return builder.track(TrackKind.THREAD, builder.track(TrackKind.PROCESS, -1, process), name);
        }

        int stream(String device, String stream) {
            return builder.track(TrackKind.STREAM, builder.track(TrackKind.DEVICE, -1, device), stream);
        }

        int row(RowKind kind, int track, long startNs, long endNs, String name) {
            return builder.row(kind, track, startNs, endNs, builder.name(name));
        }

        void attribute(int row, Attribute attribute, long value) {
            builder.attribute(row, attribute, value);
        }

        void link(LinkKind kind, int from, int to) {
            builder.link(kind, from, to, 100);
        }

        void launch(int call, int kernel) {
            link(LinkKind.LAUNCH, call, kernel);
        }

        int state(int thread, long startNs, long endNs, long onCpuNs, long runnableNs, WaitReason reason) {
            int row = row(RowKind.THREAD_STATE, thread, startNs, endNs, "");
            attribute(row, Attribute.ON_CPU_NS, onCpuNs);
            attribute(row, Attribute.RUNNABLE_NS, runnableNs);
            attribute(row, Attribute.WAIT_REASON, reason.ordinal());
            return row;
        }

        void sample(int thread, long startNs, long endNs, int gil, String... frames) {
            int stack = -1;
            for (String frame : frames) {
                stack = builder.stack(stack, builder.name(frame));
            }
            int row = row(RowKind.STACK_SAMPLE, thread, startNs, endNs, frames[frames.length - 1]);
            attribute(row, Attribute.STACK, stack);
            if (gil > 0) {
                attribute(row, Attribute.GIL, gil);
            }
        }

        void handOver(int giver, long gaveNs, int taker, long waitNs, long tookNs, HandOver means) {
            int gives = row(RowKind.HAND_OVER, giver, gaveNs, gaveNs, "gives queue");
            attribute(gives, Attribute.HAND_OVER, means.ordinal());
            int takes = row(RowKind.HAND_OVER, taker, waitNs, tookNs, "takes queue");
            attribute(takes, Attribute.HAND_OVER, means.ordinal());
            attribute(takes, Attribute.TAKES, 1);
            link(LinkKind.HAND_OVER, gives, takes);
        }

        void counter(int thread, long atNs, String name, double value) {
            int row = row(RowKind.COUNTER, thread, atNs, atNs, name);
            attribute(row, Attribute.COUNTER_VALUE, Double.doubleToRawLongBits(value));
        }
    }
}
