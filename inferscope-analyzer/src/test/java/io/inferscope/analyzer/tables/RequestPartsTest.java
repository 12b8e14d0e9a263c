package io.inferscope.analyzer.tables;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.StepTables.RequestPart;
import io.inferscope.analyzer.model.StepTables.RequestTime;
import io.inferscope.timeline.Activity;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where requests' time went. */
class RequestPartsTest {
    /** A server thread 42: waits, tokenizes, schedules, computes, decodes two more tokens, detokenises. */
    private static TimelineFixture server() {
        return TimelineFixture.blank()
                .state("42", 0, 10, 0, 0, WaitReason.FUTEX)
                .state("42", 10, 110, 100, 0, WaitReason.UNKNOWN)
                .scope("42", 10, 30, "tokenize")
                .activity(Activity.TOKENIZATION)
                .scope("42", 30, 35, "vllm.schedule")
                .scope("42", 35, 65, "vllm.forward")
                .activity(Activity.MODEL)
                .scope("42", 65, 100, "vllm.forward")
                .activity(Activity.MODEL)
                .scope("42", 100, 110, "detokenize")
                .activity(Activity.SERIALIZATION);
    }

    private static TimelineFixture request(
            TimelineFixture fixture, double fromUs, double toUs, double firstUs, long items, long tid) {
        TimelineBuilder builder = fixture.builder();
        int process = builder.track(TrackKind.PROCESS, -1, "1");
        int lane = builder.track(TrackKind.REQUEST, process, "requests 1");
        int row = builder.row(RowKind.REQUEST, lane, us(fromUs), us(toUs), builder.name("POST /generate"));
        if (firstUs >= 0) {
            builder.attribute(row, Attribute.FIRST_ANSWER_NS, us(firstUs));
        }
        if (items > 0) {
            builder.attribute(row, Attribute.ITEMS, items);
        }
        if (tid != 0) {
            builder.attribute(row, Attribute.OTHER_THREAD, tid);
        }
        return fixture;
    }

    private static List<RequestTime> times(Timeline timeline) {
        return Tables.of(Analysis.of(timeline, Thresholds.defaults())).steps().requests();
    }

    @Test
    void thePartsOfARequestSumToItsTime() {
        RequestTime time = times(request(server(), 0, 110, 65, 10, 42).build()).get(0);

        assertThat(time.count()).isEqualTo(1);
        assertThat(time.medianFirstNs()).isEqualTo(us(65));
        assertThat(time.medianPerTokenNs()).isEqualTo(us(5));
        assertThat(time.parts())
                .containsExactly(
                        new RequestPart("decode", us(35)),
                        new RequestPart("prefill", us(30)),
                        new RequestPart("tokenize", us(20)),
                        new RequestPart("queue", us(10)),
                        new RequestPart("detokenize", us(10)),
                        new RequestPart("schedule", us(5)));
        assertThat(time.ledger().durationNs()).isEqualTo(us(110));
        assertThat(time.ledger().ns(LedgerClass.CPU_TOKENIZATION)).isEqualTo(us(20));
    }

    @Test
    void withoutAFirstTokenTheModelIsOnePart() {
        RequestTime time = times(request(server(), 0, 110, -1, 0, 42).build()).get(0);

        assertThat(time.medianFirstNs()).isEqualTo(-1);
        assertThat(time.medianPerTokenNs()).isEqualTo(-1);
        assertThat(time.parts().get(0)).isEqualTo(new RequestPart("model", us(65)));
    }

    @Test
    void aRequestThatNoKnownThreadServedIsNotExplained() {
        RequestTime time = times(request(server(), 0, 110, 65, 10, 0).build()).get(0);

        assertThat(time.parts()).containsExactly(new RequestPart("other", us(110)));
        assertThat(time.ledger().ns(LedgerClass.UNATTRIBUTED)).isEqualTo(us(110));
    }

    @Test
    void requestsAtOneTimeAreEachToldAllThatHappened() {
        TimelineFixture fixture = request(request(server(), 0, 110, 65, 10, 42), 10, 110, 55, 10, 42);
        RequestTime time = times(fixture.build()).get(0);

        assertThat(time.count()).isEqualTo(2);
        assertThat(time.ledger().durationNs()).isEqualTo(us(210));
        assertThat(time.parts().stream().mapToLong(RequestPart::ns).sum()).isEqualTo(us(210));
        assertThat(time.parts().get(0)).isEqualTo(new RequestPart("decode", us(70)));
    }

    @Test
    void withoutRequestsThereIsNothingToTell() {
        assertThat(times(server().build())).isEmpty();
    }
}
