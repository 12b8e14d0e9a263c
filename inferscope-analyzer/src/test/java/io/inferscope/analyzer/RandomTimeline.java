package io.inferscope.analyzer;

import io.inferscope.analyzer.knowledge.ApiCalls;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.Seeds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A timeline made up from a seed: up to three devices with streams, threads with rows that nest and rows that merely overlap, launches
 * of one operation and of graphs, operations without launch or without length, thread states, stack samples. A third of them is orderly enough for a
 * verdict. Times are small numbers on some seeds, so
 * that rows touch and start together, and large ones on others.
 */
public final class RandomTimeline {
    private static final String[] OPERATORS = {"aten::mm", "aten::empty", "aten::add", "model.forward"};
    private static final String[] CALLS = {"cudaLaunchKernel", "cudaMemcpyAsync", "cudaStreamSynchronize", "cudaMalloc"
    };
    private static final String[] FUNCTIONS = {
        "main.py(3): main",
        "main.py(40): loop",
        "work.py(8): work",
        "torch/nn/modules/module.py(1553): _call_impl",
        "json/decoder.py(9): decode",
        "<built-in print>"
    };
    private static final String[][] STACKS = {
        {"main.py(3): main", "work.py(8): work"},
        {"main.py(3): main", "threading.py(320): wait"},
        {"main.py(3): main", "tokenizer.py(9): tokenize", "re.py(4): sub"},
        {"main.py(3): main", "torch/nn/modules/linear.py(114): forward"},
        {"main.py(3): main", "torch/utils/hooks.py(1): call"},
        {"Serve.java(4): com.acme.Serve.run", "Thread.java(5): java.lang.Thread.sleep"},
        {"main", "memcpy"}
    };
    private static final String[] SCOPES = {"tokenize", "preprocess", "generate", "step"};
    private static final String[] KERNELS = {"gemm", "softmax", "ncclDevKernel_AllReduce", "layer_norm"};
    private static final RowKind[] OPERATIONS = {
        RowKind.KERNEL,
        RowKind.KERNEL,
        RowKind.KERNEL,
        RowKind.MEMCPY_H2D,
        RowKind.MEMCPY_D2H,
        RowKind.MEMCPY_D2D,
        RowKind.MEMSET
    };

    private record Row(
            RowKind kind,
            String owner,
            String lane,
            long startNs,
            long endNs,
            String name,
            Map<Attribute, Long> attributes) {}

    private record Link(LinkKind kind, int from, int to) {}

    private final long seed;
    private final Random random;
    private final List<Row> rows = new ArrayList<>();
    private final List<Link> links = new ArrayList<>();
    private final Map<Integer, Integer> correlations = new TreeMap<>();
    private final long lengthNs;

    /** Makes up the rows. The same seed gives the same rows. */
    public RandomTimeline(long seed) {
        this.seed = seed;
        random = new Random(seed);
        lengthNs = new long[] {60, 2_000, 3_000_000, 40_000_000_000L}[random.nextInt(4)];
        int threads = 1 + random.nextInt(3);
        for (int i = 0; i < threads; i++) {
            String process = Integer.toString(10 + random.nextInt(2));
            thread(process, Integer.toString(100 + i));
        }
        for (int i = random.nextInt(4); i > 0; i--) { // Pools of native code, of which states are all that is known.
            states(Integer.toString(10 + random.nextInt(2)), Integer.toString(200 + i));
        }
        handOvers();
        if (random.nextInt(3) == 0) {
            orderlyDevice("0");
            return;
        }
        int devices = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(3);
        for (int i = 0; i < devices; i++) {
            device(Integer.toString(i));
        }
    }

    /** Runs a check on as many random timelines, or on fewer (see {@link Seeds}); the first that fails is named by its seed. */
    public static void forEachSeed(int all, Consumer<RandomTimeline> check) {
        int seeds = Seeds.of(all, 4);
        for (long seed = 0; seed < seeds; seed++) {
            try {
                check.accept(new RandomTimeline(seed));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("on the random timeline of seed " + seed, e);
            }
        }
    }

    /** Returns the seed. */
    public long seed() {
        return seed;
    }

    private void thread(String process, String lane) {
        if (random.nextInt(3) > 0) {
            nest(process, lane, upTo(lengthNs / 2), lengthNs / 2 + upTo(lengthNs / 2), 4);
        }
        int overlapping = random.nextInt(12);
        for (int i = 0; i < overlapping; i++) {
            long startNs = upTo(lengthNs);
            host(process, lane, startNs, startNs + upTo(lengthNs / 3));
        }
        if (random.nextInt(2) == 0) {
            states(process, lane);
        }
        if (random.nextInt(2) == 0) {
            samples(process, lane);
        }
    }

    private void nest(String process, String lane, long startNs, long endNs, int depth) {
        host(process, lane, startNs, endNs);
        long atNs = startNs;
        while (depth > 0 && atNs < endNs) {
            long childStartNs = atNs + upTo(Math.max(1, (endNs - atNs) / 2));
            long childEndNs = childStartNs + upTo(endNs - childStartNs);
            nest(process, lane, childStartNs, childEndNs, depth - 1);
            atNs = childEndNs + 1 + upTo((endNs - startNs) / 4);
        }
    }

    private void host(String process, String lane, long startNs, long endNs) {
        switch (random.nextInt(10)) {
            case 0, 1 -> add(RowKind.OPERATOR, process, lane, startNs, endNs, any(OPERATORS));
            case 2, 3 -> add(RowKind.PYTHON_FUNCTION, process, lane, startNs, endNs, any(FUNCTIONS));
            case 4 -> add(RowKind.ANNOTATION, process, lane, startNs, endNs, any(SCOPES));
            case 5 -> add(RowKind.GRAPH_LAUNCH, process, lane, startNs, endNs, "cudaGraphLaunch");
            case 6 -> add(RowKind.DRIVER_CALL, process, lane, startNs, endNs, "cuLaunchKernel");
            case 7 -> add(RowKind.GC, process, lane, startNs, endNs, "gc");
            default -> add(RowKind.RUNTIME_CALL, process, lane, startNs, endNs, any(CALLS));
        }
    }

    private void states(String process, String lane) {
        long atNs = upTo(lengthNs);
        while (atNs < lengthNs) {
            long endNs = atNs + 1 + upTo(lengthNs / 3);
            int row = add(RowKind.THREAD_STATE, process, lane, atNs, endNs, "");
            long onCpuNs = random.nextInt(4) == 0 ? endNs - atNs : upTo(endNs - atNs);
            long runnableNs = random.nextInt(4) == 0 ? endNs - atNs - onCpuNs : upTo(endNs - atNs - onCpuNs);
            set(row, Attribute.ON_CPU_NS, onCpuNs);
            set(row, Attribute.RUNNABLE_NS, runnableNs);
            set(row, Attribute.WAIT_REASON, random.nextInt(WaitReason.values().length));
            if (random.nextInt(3) == 0) {
                set(row, Attribute.FUTEX, 1 + random.nextInt(3));
            }
            if (random.nextInt(3) == 0) {
                set(row, Attribute.OTHER_THREAD, 100 + random.nextInt(3));
            }
            atNs = endNs + (random.nextBoolean() ? 0 : upTo(lengthNs / 4));
        }
    }

    /** Samples touch, leave gaps, overlap, and some stand for several. */
    private void samples(String process, String lane) {
        long weightNs = 1 + lengthNs / (1 + random.nextInt(40));
        for (long atNs = upTo(lengthNs); atNs < lengthNs; ) {
            int samples = 1 + random.nextInt(3);
            int stack = random.nextInt(STACKS.length);
            long endNs = atNs + (random.nextInt(5) == 0 ? upTo(2 * weightNs) : samples * weightNs);
            int row = add(RowKind.STACK_SAMPLE, process, lane, atNs, endNs, last(STACKS[stack]));
            set(row, Attribute.STACK, stack);
            if (random.nextBoolean()) {
                set(row, Attribute.SAMPLES, samples);
            }
            if (random.nextInt(4) == 0) {
                set(row, Attribute.GIL, 1 + random.nextInt(4));
            }
            atNs = Math.max(atNs + 1, endNs + (random.nextInt(3) > 0 ? 0 : upTo(4 * weightNs) - weightNs));
        }
    }

    /** Threads of one process or of two give each other things, themselves included; some takers know of no giver. */
    private void handOvers() {
        if (random.nextBoolean()) {
            return;
        }
        List<Row> lanes = rows.stream().filter(r -> !r.lane.isEmpty()).toList();
        for (int i = random.nextInt(12); i > 0 && !lanes.isEmpty(); i--) {
            Row from = lanes.get(random.nextInt(lanes.size()));
            Row to = lanes.get(random.nextInt(lanes.size()));
            long waitNs = upTo(lengthNs);
            long tookNs = waitNs + upTo(lengthNs / 3);
            long gaveNs = random.nextInt(4) == 0 ? upTo(lengthNs) : waitNs + upTo(tookNs - waitNs);
            int taker = add(RowKind.HAND_OVER, to.owner, to.lane, waitNs, tookNs, "takes queue");
            set(taker, Attribute.HAND_OVER, 0);
            set(taker, Attribute.TAKES, 1);
            if (random.nextInt(5) > 0) {
                int giver = add(RowKind.HAND_OVER, from.owner, from.lane, gaveNs, gaveNs, "gives queue");
                set(giver, Attribute.HAND_OVER, 0);
                links.add(new Link(random.nextBoolean() ? LinkKind.HAND_OVER : LinkKind.LOCK, giver, taker));
            }
        }
    }

    private static String last(String[] frames) {
        return frames[frames.length - 1];
    }

    private void device(String owner) {
        List<Integer> calls = new ArrayList<>();
        for (int row = 0; row < rows.size(); row++) {
            if (rows.get(row).kind.isApiCall()) {
                calls.add(row);
            }
        }
        int operations = 1 + random.nextInt(25);
        int longestShare = random.nextBoolean() ? 10 : 60;
        for (int i = 0; i < operations; i++) {
            int call = calls.isEmpty() || random.nextInt(4) == 0 ? -1 : any(calls);
            int replayed = call >= 0 && isGraph(call) ? 1 + random.nextInt(3) : 1;
            for (int j = 0; j < replayed; j++) {
                operation(owner, call, longestShare);
            }
        }
    }

    /** A device that a trust gate believes: each launch leads to operations after it, one at a time. */
    private void orderlyDevice(String owner) {
        List<Integer> calls = new ArrayList<>();
        for (int row = 0; row < rows.size(); row++) {
            if (rows.get(row).kind.isApiCall() && ApiCalls.isLaunch(rows.get(row).name)) {
                calls.add(row);
            }
        }
        calls.sort(Comparator.comparingLong(row -> rows.get(row).startNs));
        long freeNs = 0;
        for (int call : calls) {
            long startNs = Math.max(freeNs, rows.get(call).startNs + upTo(lengthNs / 20));
            freeNs = startNs + upTo(lengthNs / 20);
            operation(owner, call, startNs, freeNs);
        }
    }

    private void operation(String owner, int call, int longestShare) {
        boolean after = call >= 0 && random.nextInt(5) > 0;
        long startNs = after ? rows.get(call).startNs + upTo(lengthNs / 8) : upTo(lengthNs);
        startNs = !rows.isEmpty() && random.nextInt(3) == 0 ? startOfAnother(owner, startNs) : startNs;
        long endNs = random.nextInt(8) == 0 ? startNs : startNs + upTo(lengthNs / longestShare);
        operation(owner, call, startNs, endNs);
    }

    private void operation(String owner, int call, long startNs, long endNs) {
        RowKind kind = any(OPERATIONS);
        String name = kind == RowKind.KERNEL ? any(KERNELS) : kind.name();
        int row = add(kind, owner, Integer.toString(7 + random.nextInt(3)), startNs, endNs, name);
        if (kind != RowKind.KERNEL) {
            set(row, Attribute.SIZE_BYTES, random.nextInt(1_000));
        }
        if (call >= 0) {
            links.add(new Link(isGraph(call) ? LinkKind.GRAPH_REPLAY : LinkKind.LAUNCH, call, row));
            correlations.put(call, call + 1);
            correlations.put(row, call + 1);
        }
    }

    /** Operations that start together are what the rules about a gap's end are for. */
    private long startOfAnother(String owner, long otherwiseNs) {
        Row other = rows.get(random.nextBoolean() ? rows.size() - 1 : random.nextInt(rows.size()));
        return other.kind.isDeviceOperation() && other.owner.equals(owner) ? other.startNs : otherwiseNs;
    }

    private boolean isGraph(int row) {
        return rows.get(row).kind == RowKind.GRAPH_LAUNCH;
    }

    private long upTo(long most) {
        return most <= 0 ? 0 : random.nextLong(most + 1);
    }

    private <T> T any(T[] choices) {
        return choices[random.nextInt(choices.length)];
    }

    private int any(List<Integer> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    private int add(RowKind kind, String owner, String lane, long startNs, long endNs, String name) {
        rows.add(new Row(kind, owner, lane, startNs, endNs, name, new EnumMap<>(Attribute.class)));
        return rows.size() - 1;
    }

    private void set(int row, Attribute attribute, long value) {
        rows.get(row).attributes.put(attribute, value);
    }

    private static int stack(TimelineBuilder builder, long number) {
        int stack = -1;
        for (String frame : STACKS[(int) number]) {
            stack = builder.stack(stack, builder.name(frame));
        }
        return stack;
    }

    /** Returns the timeline. */
    public Timeline build() {
        return build(0, null);
    }

    /** Returns the timeline with every stamp later by {@code byNs}. */
    public Timeline shifted(long byNs) {
        return build(byNs, null);
    }

    /** Returns the timeline from rows and links that were added in another order. */
    public Timeline shuffled(long seed) {
        return build(0, new Random(seed));
    }

    private Timeline build(long shiftNs, Random shuffle) {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            order.add(i);
        }
        List<Link> linkOrder = new ArrayList<>(links);
        if (shuffle != null) {
            Collections.shuffle(order, shuffle);
            Collections.shuffle(linkOrder, shuffle);
        }
        TimelineBuilder builder = new TimelineBuilder();
        int[] handles = new int[rows.size()];
        for (int i : order) {
            Row row = rows.get(i);
            boolean device = row.kind.isDeviceOperation();
            int owner = builder.track(device ? TrackKind.DEVICE : TrackKind.PROCESS, -1, row.owner);
            int lane = builder.track(device ? TrackKind.STREAM : TrackKind.THREAD, owner, row.lane);
            handles[i] =
                    builder.row(row.kind, lane, row.startNs + shiftNs, row.endNs + shiftNs, builder.name(row.name));
            builder.correlation(handles[i], correlations.getOrDefault(i, 0));
            row.attributes.forEach((attribute, value) -> builder.attribute(
                    handles[i], attribute, attribute == Attribute.STACK ? stack(builder, value) : value));
        }
        linkOrder.forEach(l -> builder.link(l.kind, handles[l.from], handles[l.to], 100));
        return builder.build("random");
    }
}
