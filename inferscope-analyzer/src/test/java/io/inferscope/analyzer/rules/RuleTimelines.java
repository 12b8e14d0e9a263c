package io.inferscope.analyzer.rules;

import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;

/** Timelines that the tests of several rules look at. */
final class RuleTimelines {
    private RuleTimelines() {}

    /** 40 pieces of 10 ms, of each of which the GPU is busy for {@code busyMs}. */
    static Timeline pieces(double... busyMs) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 40; i++) {
            double busy = busyMs[i * busyMs.length / 40];
            double atUs = 10_000.0 * i;
            fixture.kernel("7", atUs, atUs + 1000 * busy, "gemm").launchedBy("main", atUs - 20, atUs - 10);
        }
        return fixture.kernel("7", 399_999, 400_000, "end").build();
    }

    /** Three steps of some name, each of which launches so many kernels one by one, or one graph. */
    static TimelineFixture decodeSteps(String name, int kernels) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int step = 0; step < 3; step++) {
            double atUs = 2000.0 * step;
            fixture.scope("main", atUs, atUs + 1900, name);
            if (kernels == 0) {
                fixture.graphLaunch("main", atUs + 5, atUs + 10);
                fixture.kernel("7", atUs + 12, atUs + 1500, "gemm").replayed();
            }
            for (int i = 0; i < kernels; i++) {
                fixture.kernel("7", atUs + 10 * i + 5, atUs + 10 * i + 8, "gemm")
                        .launchedBy("main", atUs + 10 * i, atUs + 10 * i + 3);
            }
        }
        return fixture;
    }

    /** Readings of the queue's length and of the KV cache's use, a second apart. */
    static TimelineFixture readings(double[] queue, double[] usage) {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 1e6 * queue.length, "serve");
        for (int i = 0; i < queue.length; i++) {
            fixture.counter("sglang:num_queue_reqs{model_name=\"m\"}", 1e6 * i + 10, queue[i]);
            fixture.counter("sglang:token_usage{model_name=\"m\"}", 1e6 * i, usage[i]);
        }
        return fixture;
    }

    /** Two kernels without a gap, the second of which a call launches while the first one runs. */
    static Timeline queued(double callStartUs, double callEndUs) {
        return TimelineFixture.blank()
                .kernel("7", 10, 500, "gemm")
                .launchedBy("main", 0, 5)
                .kernel("7", 500, 900, "gemm")
                .launchedBy("main", callStartUs, callEndUs)
                .build();
    }

    /** Readings of the memory of device 1. */
    static TimelineFixture memory(double usedGigabytes, double totalGigabytes) {
        return TimelineFixture.blank()
                .scope("main", 0, 100, "serve")
                .counter("nvml.memory_used_bytes{device=\"1\"}", 10, usedGigabytes * 5e8)
                .counter("nvml.memory_used_bytes{device=\"1\"}", 90, usedGigabytes * 1e9)
                .counter("nvml.memory_total_bytes{device=\"1\"}", 10, totalGigabytes * 1e9);
    }
}
