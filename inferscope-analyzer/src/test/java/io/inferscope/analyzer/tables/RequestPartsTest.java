package io.inferscope.analyzer.tables;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.HostTables;
import io.inferscope.analyzer.model.HostTables.RequestFigures;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.RequestTables;
import io.inferscope.analyzer.model.RequestTables.RequestPart;
import io.inferscope.analyzer.model.RequestTables.RequestTime;
import io.inferscope.analyzer.model.RequestTables.SlowCause;
import io.inferscope.analyzer.model.RequestTables.TokenFigures;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where requests' time went. */
class RequestPartsTest {
    /** A server thread 42: waits, tokenizes, schedules, computes, decodes two more tokens, detokenises. */
    private static TimelineFixture server() {
        return TimelineFixture.blank()
                .state("42", 0, 10, 0, 0, WaitReason.FUTEX)
                .state("42", 10, 110, 100, 0, WaitReason.UNKNOWN)
                .scope("42", 10, 30, "tokenize")
                .activity(RangeActivity.TOKENIZATION)
                .scope("42", 30, 35, "vllm.schedule")
                .scope("42", 35, 65, "vllm.forward")
                .activity(RangeActivity.MODEL)
                .scope("42", 65, 100, "vllm.forward")
                .activity(RangeActivity.MODEL)
                .scope("42", 100, 110, "detokenize")
                .activity(RangeActivity.SERIALIZATION);
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
        return Tables.of(Analysis.of(timeline, Thresholds.defaults())).rows(RequestTables.REQUEST_TIME);
    }

    /** As an engine's requests inside those of its server, and those for its metrics. */
    @Test
    void theSentenceIsAboutTheRequestsThatTookMostTimeAndNamesThemBesideOthers() {
        TimelineFixture fixture = request(request(server(), 0, 40, -1, 0, 42), 50, 110, -1, 0, 42);
        Function<TimelineFixture, String> sentence =
                drawn -> Tables.of(Analysis.of(drawn.build(), Thresholds.defaults()))
                        .requestSentence()
                        .orElseThrow();
        TimelineFixture beside = request(request(server(), 0, 40, -1, 0, 42), 50, 110, -1, 0, 42);
        TimelineBuilder builder = beside.builder();
        for (int i = 0; i < 5; i++) {
            int lane =
                    builder.track(TrackKind.REQUEST, builder.track(TrackKind.PROCESS, -1, "1"), "requests " + (2 + i));
            builder.row(RowKind.REQUEST, lane, us(60), us(61), builder.name("GET /metrics"));
        }

        assertThat(sentence.apply(fixture)).startsWith("2 requests, ");
        assertThat(sentence.apply(beside)).startsWith("2 requests `POST /generate`, ");
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

        assertThat(time.medianFirstNs()).isNull();
        assertThat(time.medianPerTokenNs()).isNull();
        assertThat(time.parts().get(0)).isEqualTo(new RequestPart("model", us(65)));
    }

    /** Sleeping is neither the network nor a queue, whatever the handler waits for beside it. */
    @Test
    void whatAHandlerSleepsIsAPartOfItsOwn() {
        TimelineFixture fixture = TimelineFixture.blank()
                .state("42", 0, 50, 0, 0, WaitReason.TIMER)
                .state("42", 50, 80, 0, 0, WaitReason.SOCKET)
                .state("42", 80, 100, 0, 0, WaitReason.LOCK);

        assertThat(times(request(fixture, 0, 100, -1, 0, 42).build()).get(0).parts())
                .containsExactly(
                        new RequestPart("sleep", us(50)),
                        new RequestPart("network", us(30)),
                        new RequestPart("queue", us(20)));
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

    /** A thread 42 that serves one request: a first token after 20 us, then tokens each 10 us, of which the fourth is 40 us late. */
    private static TimelineFixture tokens(String gapsUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        double at = 0;
        for (int token = 0; token < 10; token++) {
            double lengthUs = token == 0 ? 20 : 10;
            fixture.scope("42", at, at + lengthUs, "vllm.forward").activity(RangeActivity.MODEL);
            at += lengthUs;
            if (token == 3) {
                fixture.scope("42", at, at + 40, "detokenize")
                        .activity(RangeActivity.SERIALIZATION)
                        .where("serve.py:7");
                at += 40;
            }
        }
        request(fixture, 0, at, 20, 10, 42);
        fixture.builder()
                .attribute(
                        fixture.builder().rowCount() - 1,
                        Attribute.ANSWER_GAPS,
                        fixture.builder().name(gapsUs));
        return fixture;
    }

    @Test
    void slowTokensSayWhatTheyTookMoreOf() {
        TokenFigures times =
                times(tokens("10,10,10,50,10,10,10,10,10").build()).get(0).tokens();

        assertThat(times.count()).isEqualTo(9);
        assertThat(times.medianNs()).isEqualTo(us(10));
        assertThat(times.p95Ns()).isEqualTo(us(50));
        assertThat(times.maxNs()).isEqualTo(us(50));
        assertThat(times.slowLimitNs()).isEqualTo(us(15));
        assertThat(times.slowCount()).isEqualTo(1);
        assertThat(times.slowMoreNs()).isEqualTo(us(40));
        assertThat(times.causes())
                .containsExactly(new SlowCause(LedgerClass.CPU_SERIALIZATION, us(40), "serve.py:7 > detokenize"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "10,10,-5", "10,10,999999999999999999", "10,10,900000"})
    void timesOfTokensThatMakeNoSenseEndTheList(String gapsUs) {
        TokenFigures times = times(tokens(gapsUs).build()).get(0).tokens();

        assertThat(times.count()).isEqualTo(gapsUs.startsWith("10") ? 2 : 0);
        assertThat(times.maxNs()).isEqualTo(gapsUs.startsWith("10") ? us(10) : null);
    }

    @Test
    void aCallThatGeneratesIsARequestWhosePassesAreItsTokens() {
        TimelineFixture fixture = TimelineFixture.blank().scope("42", 0, 100, "generate");
        for (int pass = 0; pass < 4; pass++) {
            fixture.scope("42", 20 + 20 * pass, 30 + 20 * pass, "forward Model").activity(RangeActivity.MODEL);
        }
        RequestTime time = times(fixture.build()).get(0);

        assertThat(time.name()).isEqualTo("generate");
        assertThat(time.medianFirstNs()).isEqualTo(us(30));
        assertThat(time.medianPerTokenNs()).isEqualTo(us(70) / 3);
        assertThat(time.tokens().count()).isEqualTo(3);
        assertThat(time.tokens().p99Ns()).isEqualTo(us(20));
        assertThat(time.tokens().slowCount()).isZero();
        assertThat(time.ledger().durationNs()).isEqualTo(us(100));
    }

    @Test
    void aCallThatGeneratesInsideARequestIsNoRequestOfItsOwn() {
        TimelineFixture fixture = request(server(), 0, 110, 65, 10, 42).scope("42", 35, 100, "generate");

        assertThat(times(fixture.build())).extracting(RequestTime::name).containsExactly("POST /generate");
    }

    /** A call that generates three tokens on the host by 10, 40 and 70 us, of which the device gives each 15 us later. */
    private static TimelineFixture generation() {
        TimelineFixture fixture = TimelineFixture.blank().scope("42", 0, 100, "generate");
        for (int pass = 0; pass < 3; pass++) {
            double at = 30 * pass;
            fixture.scope("42", at, at + 10, "forward Model").activity(RangeActivity.MODEL);
            fixture.kernel("7", at + 5, at + 25, "gemm").launchedBy("42", at + 2, at + 4);
        }
        return fixture;
    }

    @Test
    void aTokenOfADeviceIsThereWhenItsWorkIsOver() {
        RequestTime time = times(generation().build()).get(0);

        assertThat(time.medianFirstNs()).isEqualTo(us(25));
        assertThat(time.tokens().medianNs()).isEqualTo(us(30));
        assertThat(time.tokens().count()).isEqualTo(2);
    }

    @Test
    void anEncoderBeforeTheModelGivesNoToken() {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("42", 0, 100, "generate")
                .scope("42", 5, 15, "forward Encoder")
                .scope("42", 20, 40, "forward Model")
                .scope("42", 50, 60, "forward Model");
        RequestTime time = times(fixture.build()).get(0);

        assertThat(time.medianFirstNs()).isEqualTo(us(40));
        assertThat(time.tokens().count()).isEqualTo(1);
    }

    @Test
    void recordedPythonCallsGenerateToo() {
        TimelineFixture fixture = TimelineFixture.blank().python("42", 0, 100, "generation/utils.py(2200): generate");
        for (int pass = 0; pass < 3; pass++) {
            fixture.python("42", 10 + 30 * pass, 30 + 30 * pass, "model.py(7): forward")
                    .python("42", 12 + 30 * pass, 20 + 30 * pass, "layer.py(9): forward");
        }
        RequestTime time = times(fixture.build()).get(0);

        assertThat(time.name()).isEqualTo("generation/utils.py:2200 generate");
        assertThat(time.medianFirstNs()).isEqualTo(us(30));
        assertThat(time.tokens().count()).isEqualTo(2);
    }

    @Test
    void aCallThatGeneratesOneTokenIsARequestWhereARangeSaysSo() {
        TimelineFixture said =
                TimelineFixture.blank().scope("42", 0, 50, "generate").scope("42", 10, 30, "forward Model");
        TimelineFixture maybe = TimelineFixture.blank()
                .python("42", 0, 50, "names.py(1): generate")
                .python("42", 10, 30, "names.py(5): forward");

        assertThat(times(said.build())).extracting(RequestTime::medianFirstNs).containsExactly(us(30));
        assertThat(times(maybe.build())).isEmpty();
    }

    @Test
    void aCallThatGeneratesStandsAmongTheRequests() {
        TimelineFixture fixture = generation();
        fixture.builder().attribute(0, Attribute.COUNTED, 12);
        List<RequestFigures> requests =
                Tables.of(Analysis.of(fixture.build(), Thresholds.defaults())).rows(HostTables.REQUESTS);

        assertThat(requests)
                .containsExactly(new RequestFigures(
                        "generate", "1", 1, us(100), us(100), us(100), us(100), us(25), us(25), 12, null));
    }
}
