package io.inferscope.analyzer.trust;

import static io.inferscope.analyzer.trust.TrustChecks.assertWithholds;
import static io.inferscope.analyzer.trust.TrustChecks.check;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import org.junit.jupiter.api.Test;

class SharedIdsTest {
    private static Timeline ranks(int ranks, String... names) {
        TimelineBuilder builder = new TimelineBuilder();
        for (int rank = 0; rank < ranks; rank++) {
            int process = builder.track(TrackKind.PROCESS, -1, "rank " + rank);
            int thread = builder.track(TrackKind.THREAD, process, "1");
            int stream = builder.track(TrackKind.STREAM, builder.track(TrackKind.DEVICE, -1, "" + rank), "7");
            for (int i = 0; i < 20; i++) {
                int kernel = builder.row(RowKind.KERNEL, stream, i * 100, i * 100 + 50, builder.name("gemm"));
                for (String name : names) {
                    int call = builder.row(RowKind.RUNTIME_CALL, thread, i * 100, i * 100 + 20, builder.name(name));
                    builder.correlation(call, i + 1);
                    builder.link(LinkKind.LAUNCH, call, kernel, ranks * names.length > 1 ? 50 : 100);
                }
            }
        }
        return builder.build("kineto");
    }

    @Test
    void twoRanksInOneFileWithhold() {
        assertWithholds(
                check("launches-have-device-work", ranks(2, "cudaLaunchKernel")),
                "40 of 40 launches have the correlation id of another one: the file holds several recordings");
    }

    @Test
    void aCallOfTheDriverInsideOneOfTheRuntimeIsNoOtherLaunch() {
        assertThat(check("launches-have-device-work", ranks(1, "cudaLaunchKernel", "cuLaunchKernel"))
                        .passed())
                .isTrue();
        assertThat(check("launches-have-device-work", ranks(1, "cudaLaunchKernel"))
                        .detail())
                .startsWith("0 of 20 launch and copy calls");
    }
}
