package io.inferscope.report;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.analyzer.Analyzer;
import io.inferscope.report.html.HtmlRenderer;
import io.inferscope.report.scene.Scene;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.function.IntFunction;

/** Programs that launch many small kernels, as recordings of any size, and the pages about them. */
final class Recorded {
    private Recorded() {}

    /** Returns a recording of at least so many events, equal names nearly equally long, whose names are {@code name(0)}, {@code name(1)} and so on. */
    static Timeline program(long seed, int events, IntFunction<String> name) {
        Random random = new Random(seed);
        TimelineBuilder builder = new TimelineBuilder();
        int process = builder.track(TrackKind.PROCESS, -1, "1");
        int thread = builder.track(TrackKind.THREAD, process, "2");
        builder.trackName(thread, name.apply(0));
        int device = builder.track(TrackKind.DEVICE, -1, "0");
        int[] streams = {builder.track(TrackKind.STREAM, device, "7"), builder.track(TrackKind.STREAM, device, "20")};
        int launch = builder.name("cudaLaunchKernel");
        long now = 1_000;
        long[] freeNs = new long[streams.length];
        for (int made = 0; made < events; ) {
            long scopeNs = now;
            int scope = builder.row(RowKind.ANNOTATION, thread, now, now + 1, builder.name("step"));
            made++;
            for (int i = 0; i < 20; i++) {
                long operatorNs = now;
                int operator = random.nextInt(40);
                int named = random.nextInt(40);
                now += 5_000 + 1_000L * operator + random.nextInt(256);
                int call = builder.row(RowKind.RUNTIME_CALL, thread, now, now + 4_000, launch);
                int stream = random.nextInt(streams.length);
                long startNs = Math.max(freeNs[stream], now + 6_000);
                freeNs[stream] = startNs + 1_000 + 250L * named + random.nextInt(64);
                RowKind kind = random.nextInt(10) == 0 ? RowKind.MEMCPY_H2D : RowKind.KERNEL;
                int kernel = builder.row(
                        kind, streams[stream], startNs, freeNs[stream], builder.name(name.apply(1 + named)));
                builder.link(LinkKind.LAUNCH, call, kernel, 100);
                now += 5_000;
                builder.row(RowKind.OPERATOR, thread, operatorNs, now, builder.name(name.apply(50 + operator)));
                made += 3;
            }
            builder.end(scope, now);
            now = Math.max(now, scopeNs) + random.nextInt(3_000);
        }
        return builder.build("test");
    }

    static Timeline program(long seed, int events) {
        return program(seed, events, i -> i < 50 ? "kernel_" + i : "aten::operator_" + i);
    }

    static AnalyzedReport explained(Timeline timeline) {
        return new Analyzer().explain(timeline, "recorded");
    }

    static String page(AnalyzedReport explained, Scene.Limits limits) {
        return Rendered.by(new HtmlRenderer(explained.analysis(), true, limits), explained.report());
    }

    static String page(AnalyzedReport explained) {
        return page(explained, Scene.Limits.USUAL);
    }

    static Path write(Path folder, String html) throws Exception {
        return Files.writeString(folder.resolve("page.html"), html);
    }
}
