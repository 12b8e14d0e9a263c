package io.inferscope.analyzer.tables;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.tables.OwnPlaces.Place;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Frame;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitDetail;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OwnPlacesTest {
    private static final String MAIN = "/app/serve.py(40): main";
    private static final String HANDLE = "/app/serve.py(31): handle";
    private static final String CALL =
            "/usr/lib/python3.11/site-packages/torch/nn/modules/module.py(1775): Module._call_impl";
    private static final String LINEAR =
            "/usr/lib/python3.11/site-packages/torch/nn/modules/linear.py(134): Linear.forward";
    private static final String LOADS =
            "/usr/lib/python3.11/site-packages/peft/peft_model.py(1300): PeftModel.load_adapter";
    private static final String PARSES = "/usr/lib/python3.11/json/decoder.py(353): JSONDecoder.raw_decode";

    private static List<Place> places(Timeline timeline) {
        return OwnPlaces.judged(new Analyzer().analysis(timeline)).places();
    }

    /** Half of the time is the model, a quarter is one line in three classes. */
    @Test
    void aLineHasTheCostOfAllThatItCalls() {
        List<Place> places = places(TimelineFixture.blank()
                .sample("main", 0, 600, MAIN, HANDLE, CALL, LINEAR, "at::native::linear [libtorch_cpu.so]")
                .sample("main", 600, 750, MAIN, "/app/serve.py(30): handle", LOADS)
                .sample("main", 750, 850, MAIN, "/app/serve.py(30): handle", PARSES)
                .sample("main", 850, 950, MAIN, "/app/serve.py(30): handle")
                .sample("main", 950, 1000, MAIN, "/app/serve.py(33): handle")
                .build());

        Place first = places.get(0);
        assertThat(first.line()).isEqualTo("/app/serve.py:30 handle");
        assertThat(first.ns()).isEqualTo(us(350));
        assertThat(first.classes().values().stream().mapToLong(Long::longValue).sum())
                .isEqualTo(us(350));
        assertThat(first.classes()).hasSizeGreaterThanOrEqualTo(2).containsKey(LedgerClass.CPU_PYTHON);
        assertThat(first.path()).containsExactly("/app/serve.py:40 main", "/app/serve.py:30 handle");
        assertThat(places).extracting(Place::line).doesNotContain("/app/serve.py:31 handle", "/app/serve.py:40 main");
    }

    @Test
    void aFunctionWithoutTheModelIsOnePlaceHoweverItSplits() {
        List<Place> places = places(TimelineFixture.blank()
                .sample("main", 0, 600, MAIN, CALL, LINEAR, "at::native::linear [libtorch_cpu.so]")
                .sample("main", 600, 750, "/app/serve.py(41): main", "/app/store.py(7): store", PARSES)
                .sample("main", 750, 850, "/app/serve.py(41): main", "/app/store.py(8): store")
                .sample("main", 850, 1000, "/app/serve.py(41): main", "/app/store.py(9): store")
                .build());

        assertThat(places.get(0).ns()).isEqualTo(us(400));
        assertThat(places.get(0).lines())
                .containsOnlyKeys("/app/store.py:7 store", "/app/store.py:8 store", "/app/store.py:9 store");
    }

    /** Half of a line's cost is its own, the rest is in what it calls: the line is the place, and its callee is named. */
    @Test
    void aLineThatSplitsNamesWhatItCalls() {
        List<Place> places = places(TimelineFixture.blank()
                .sample("main", 0, 600, MAIN, CALL, LINEAR, "at::native::linear [libtorch_cpu.so]")
                .sample("main", 600, 800, "/app/serve.py(41): main", PARSES)
                .sample("main", 800, 1000, "/app/serve.py(41): main", "/app/store.py(7): encode")
                .build());

        assertThat(places.get(0).line()).isEqualTo("/app/serve.py:41 main");
        assertThat(places.get(0).lines())
                .containsExactly(
                        Map.entry("/app/serve.py:41 main", us(400)), Map.entry("/app/store.py:7 encode", us(200)));
        assertThat(places.get(0).callee()).isEqualTo("/app/store.py:7 encode");
    }

    @Test
    void callsOfOneFunctionFromTwoLinesAreOnePlace() {
        List<Place> places = places(TimelineFixture.blank()
                .sample("main", 0, 600, MAIN, CALL, LINEAR, "at::native::linear [libtorch_cpu.so]")
                .sample("main", 600, 800, "/app/serve.py(41): main", "/app/store.py(7): encode")
                .sample("main", 800, 1000, "/app/serve.py(45): main", "/app/store.py(7): encode")
                .build());

        assertThat(places).extracting(Place::line).containsExactly("/app/store.py:7 encode");
        assertThat(places.get(0).ns()).isEqualTo(us(400));
    }

    /** Ten of a hundred samples may be four or sixteen: that the others lie in recorded calls makes them no surer. */
    @Test
    void samplesAreComparedWithThoseInRecordedCalls() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 100; i++) {
            if (i < 40 || i >= 50) {
                fixture.sample("main", i, i + 1, MAIN, CALL, LINEAR, "at::native::linear [libtorch_cpu.so]");
                fixture.scope("main", i, i + 1, "forward")
                        .activity(RangeActivity.MODEL)
                        .where("/app/serve.py:40 main");
            } else {
                fixture.sample("main", i, i + 1, "/app/serve.py(41): main", PARSES);
            }
        }

        Place place = places(fixture.build()).get(0);

        assertThat(place.ns()).isEqualTo(us(10));
        assertThat(place.boundNs()).isBetween(us(5.8), us(6));
        assertThat(place.leastNs()).isEqualTo(us(7));
    }

    /** One sample stands for the code between the calls of a model in all of 160 rounds: that they look alike says nothing. */
    @Test
    void timeForWhichOneSampleStandsIsNoMoreCertainForItsLength() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 160; i++) {
            fixture.scope("main", 10 * i, 10 * i + 10, "generate")
                    .activity(RangeActivity.MODEL)
                    .where("/app/serve.py:40 main");
            fixture.scope("main", 10 * i, 10 * i + 6, "forward")
                    .activity(RangeActivity.MODEL)
                    .where("/app/serve.py:40 main");
        }
        String[][] stacks = {
            {MAIN, "/app/hook.py(5): check", PARSES}, {MAIN, CALL, LINEAR, "at::linear [libtorch_cpu.so]"}
        };
        for (int i = 0; i < 2; i++) {
            fixture.sample("main", 400 * (i + 1), 400 * (i + 1) + 10, stacks[i])
                    .attribute(Attribute.LOOKED_NS, us(i == 0 ? 8 : 3));
        }

        Place place = places(fixture.build()).get(0);

        assertThat(place.line()).isEqualTo("/app/hook.py:5 check");
        assertThat(place.ns()).isBetween(us(630), us(640));
        assertThat(place.boundNs()).isGreaterThan(us(100));
    }

    @Test
    void codeThatTheModelCallsBackIsAPlaceAndTheModelIsNone() {
        List<Place> places = places(TimelineFixture.blank()
                .sample("main", 0, 700, MAIN, CALL, LINEAR, "at::native::linear [libtorch_cpu.so]")
                .sample("main", 700, 1000, MAIN, CALL, "/app/hook.py(5): count", PARSES)
                .build());

        assertThat(places).extracting(Place::line).containsExactly("/app/hook.py:5 count");
        assertThat(places.get(0).ns()).isEqualTo(us(300));
    }

    /** A hook's operators are no part of the model; those of a forward pass of the program's own are. */
    @Test
    void whatAHookAsksOfTheModelsLibraryIsItsCost() {
        String sum = "at::native::sum [libtorch_cpu.so]";
        List<Place> places = places(TimelineFixture.blank()
                .sample("main", 0, 600, MAIN, CALL, LINEAR, "at::native::linear [libtorch_cpu.so]")
                .sample("main", 600, 800, MAIN, CALL, CALL + ".<locals>.inner", "/app/hook.py(5): keep", sum)
                .sample("main", 800, 1000, MAIN, CALL, "/app/layer.py(5): Layer.forward", sum)
                .build());

        assertThat(places).extracting(Place::line).containsExactly("/app/hook.py:5 keep");
        assertThat(places.get(0).ns()).isEqualTo(us(200));
    }

    /** The line that started the loop has none of its tasks' costs, and a task's lines are places of their own. */
    @Test
    void eachLineOfATaskIsAPlace() {
        String loop = "/usr/lib/python3.11/asyncio/base_events.py(1922): BaseEventLoop._run_once";
        String task = "/usr/lib/python3.11/asyncio/events.py(84): Handle._run";
        List<Place> places = places(TimelineFixture.blank()
                .sample("main", 0, 400, MAIN, loop, task, "/app/api.py(34): answer", "/app/text.py(7): join")
                .sample("main", 400, 700, MAIN, loop, task, "/app/api.py(37): answer", PARSES)
                .sample("main", 700, 900, MAIN, loop)
                .sample("main", 900, 1000, MAIN, loop, task, LOADS)
                .build());

        assertThat(places)
                .extracting(Place::line, Place::ns)
                .containsExactly(
                        tuple("/app/text.py:7 join", us(400)),
                        tuple("/app/api.py:37 answer", us(300)),
                        tuple("/app/serve.py:40 main", us(200)));
    }

    /** A client's native threads answer: no record says so. A queue's item may be work, for which nobody waits. */
    @ParameterizedTest
    @CsvSource({
        "/usr/lib/python3.11/site-packages/grpc/_channel.py(1171): _UnaryUnaryMultiCallable.__call__, 60",
        "/usr/lib/python3.11/site-packages/grpc/_channel.py(1171): Call.__call__>/usr/lib/python3.11/threading.py(327): Condition.wait, 60",
        "/usr/lib/python3.11/site-packages/torch/utils/data/dataloader.py(1100): _Iter._get>/usr/lib/python3.11/threading.py(327): Condition.wait, 0",
        "/usr/lib/python3.11/threading.py(327): Condition.wait, 0",
        "/usr/lib/python3.11/queue.py(171): Queue.get, 0"
    })
    void aWaitInsideALibraryIsACostInASteadyState(String waitsIn, long ms) {
        String[] frames = ("/app/serve.py(30): ask>" + waitsIn).split(">");
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 20; i++) {
            long us = i * 10_000L;
            fixture.scope("main", us, us + 10_000, "step")
                    .state("main", us, us + 3_000, 0, 0, WaitReason.FUTEX)
                    .sample("main", us, us + 3_000, frames)
                    .state("main", us + 3_000, us + 10_000, 7_000, 0, WaitReason.UNKNOWN)
                    .sample("main", us + 3_000, us + 10_000, MAIN, CALL, LINEAR, "at::native::mm [libtorch_cpu.so]");
        }

        assertThat(places(fixture.build()).stream().mapToLong(Place::ns).sum()).isEqualTo(us(1000.0 * ms));
    }

    /** What a worker process does is not called by the line that forked it. */
    @Test
    void aForkEndsTheCallersOfAPlace() {
        String starts = "/usr/lib/python3.11/multiprocessing/process.py(314): BaseProcess._bootstrap";
        List<Place> places = places(TimelineFixture.blank()
                .sample("main", 0, 600, MAIN, starts, CALL, LINEAR, "at::native::linear [libtorch_cpu.so]")
                .sample("main", 600, 800, MAIN, starts, "/app/rows.py(5): pad")
                .sample("main", 800, 1000, MAIN, starts, "/app/rows.py(9): mask")
                .build());

        assertThat(places)
                .extracting(Place::line)
                .containsExactlyInAnyOrder("/app/rows.py:5 pad", "/app/rows.py:9 mask");
        assertThat(places.get(0).path()).doesNotContain("/app/serve.py:40 main");
    }

    /** An engine of native code shows no frame: its recorded call is the model, also where a line loads it each time. */
    @Test
    void aRecordedCallOfAnEngineIsTheModel() {
        String wrapper = "/x/inferscope/_hook.py(237): wrap.<locals>.wrapper";
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 600, "Whisper.encode")
                .sample("main", 0, 600, MAIN, "/app/serve.py(40): main.<locals>.<genexpr>", wrapper)
                .sample("main", 600, 1000, "/app/serve.py(41): main", LOADS);
        fixture.builder().attribute(0, Attribute.ACTIVITY, RangeActivity.MODEL.ordinal());
        fixture.scope("main", 1000, 1020, "Whisper.encode").where("/app/serve.py:40 main.<locals>.<genexpr>");
        fixture.builder().attribute(fixture.lastRow(), Attribute.ACTIVITY, RangeActivity.MODEL.ordinal());

        assertThat(places(fixture.build())).extracting(Place::line).containsExactly("/app/serve.py:41 main");
    }

    /** A process of a pool reads its task's arguments: no line of its own shows that. */
    @Test
    void whatAnotherThreadDoesWithoutOwnCodeIsTheCostOfTheLineThatWaits() {
        List<Place> places = places(TimelineFixture.blank()
                .scope("main", 0, 1000, "step")
                .state("main", 0, 400, 0, 0, WaitReason.PIPE)
                .sample(
                        "main",
                        0,
                        400,
                        MAIN,
                        "/app/pool.py(7): prepare",
                        "/usr/lib/python3.11/concurrent/futures/_base.py(451): Future.result")
                .state("main", 400, 1000, 600, 0, WaitReason.UNKNOWN)
                .sample("main", 400, 1000, MAIN, CALL, LINEAR, "at::native::linear [libtorch_cpu.so]")
                .state("worker", 0, 400, 400, 0, WaitReason.UNKNOWN)
                .sample("worker", 0, 400, "/usr/lib/python3.11/multiprocessing/queues.py(122): Queue.get")
                .handedOver("worker", "main", 0, 400)
                .build());

        assertThat(places).extracting(Place::line, Place::ns).contains(tuple("/app/pool.py:7 prepare", us(400)));
    }

    /** Of 400 us in which a line waits for a thread, that one does something at a line of own code, and rests. */
    private static List<Place> waited(WaitReason worker, double workedUs, double sleptUs) {
        double us = workedUs + sleptUs;
        return places(TimelineFixture.blank()
                .scope("main", 0, 1000, "step")
                .state("main", 0, 400, 0, 0, WaitReason.PIPE)
                .sample("main", 0, 400, MAIN, "/app/client.py(7): ask", "/usr/lib/python3.11/socket.py(718): readinto")
                .state("main", 400, 1000, 600, 0, WaitReason.UNKNOWN)
                .sample("main", 400, 1000, MAIN, CALL, LINEAR, "at::native::linear [libtorch_cpu.so]")
                .state("worker", 0, us, workedUs, 0, worker)
                .sample("worker", 0, us, "/app/store.py(8): answer")
                .handedOver("worker", "main", 0, us)
                .build());
    }

    /** The store rests between two lookups: who asks it for one at a time can change that. */
    @Test
    void aLineHasTheTimeOfAWaitingThreadThatItWaitsFor() {
        Place place = waited(WaitReason.TIMER, 0, 400).get(0);

        assertThat(place.line()).isEqualTo("/app/client.py:7 ask");
        assertThat(place.ns()).isEqualTo(us(400));
        assertThat(place.largest()).isEqualTo(LedgerClass.WAIT_TIMER);
        assertThat(place.callee()).isEqualTo("/app/store.py:8 answer");
        assertThat(place.calls()).containsExactly("socket.py: readinto");
        assertThat(place.awaited()).isFalse();
    }

    @Test
    void aThreadThatWorksIsAPlaceBeneathTheLineThatWaits() {
        Place place = waited(WaitReason.UNKNOWN, 400, 0).get(0);

        assertThat(place.line()).isEqualTo("/app/store.py:8 answer");
        assertThat(place.ns()).isEqualTo(us(400));
        assertThat(place.path()).endsWith("/app/client.py:7 ask", "/app/store.py:8 answer");
        assertThat(place.awaited()).isTrue();
    }

    @Test
    void operatorsAreTheModelWhereNothingElseIs() {
        List<Place> places = places(TimelineFixture.blank()
                .sample("main", 0, 900, MAIN, "at::native::mm [libtorch_cpu.so]")
                .sample("main", 900, 1000, "/app/serve.py(50): main")
                .build());

        assertThat(places).extracting(Place::line).containsExactly("/app/serve.py:50 main");
    }

    @Test
    void recursionCountsOnce() {
        List<Place> places = places(TimelineFixture.blank()
                .sample("main", 0, 600, MAIN, CALL, LINEAR, "at::native::linear [libtorch_cpu.so]")
                .sample(
                        "main",
                        600,
                        1000,
                        "/app/serve.py(41): main",
                        "/app/tree.py(3): walk",
                        "/app/tree.py(4): walk",
                        "/app/tree.py(3): walk")
                .build());

        assertThat(places).hasSize(1);
        assertThat(places.get(0).ns()).isEqualTo(us(400));
    }

    /** As each recorder writes them: a function that calls the library that has the cost, beneath the start of its thread. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // a JVM
                "Thread.java(829): java.lang.Thread.run > Serve.java(7): com.acme.Serve.step | HashMap.java(9): java.util.HashMap.get | Serve.java:7 com.acme.Serve.step",
                // C, C++ and Rust, with lines and without
                "__libc_start_main [libc.so.6] > /src/serve.cpp(12): main [serve] > /src/serve.cpp(8): score [serve] | memcpy [libc.so.6] | /src/serve.cpp:8 score [serve]",
                "main [serve] > score [serve] | [98000] [libc.so.6] | score [serve]",
                // Go
                "/opt/go/src/runtime/proc.go(283): runtime.main [serve] > /srv/main.go(8): main.score [serve] | /opt/go/src/math/sin.go(236): math.sin [serve] | /srv/main.go:8 main.score [serve]",
                // Node.js
                "/deps/uv/thread.c(793): uv_run [node] > JS:*score /srv/a.js:3:15 [jit] | Builtins_FindOrderedHashMapEntry [node] | JS:*score /srv/a.js:3:15 [jit]",
                // py-spy, whose files have no folder of installed packages
                "<module> (serve.py:60) > score (serve.py:31) | decode (json/decoder.py:353) | serve.py:31 score"
            })
    void samplesOfAnyRecorderHavePlaces(String stack, String callee, String place) {
        String[] all = Pattern.compile(" > ")
                .splitAsStream(stack + " > " + callee)
                .map(frame -> frame.contains(".py:") ? Frame.textOfCall(frame) : frame)
                .toArray(String[]::new);
        String[] outer = Arrays.copyOf(all, all.length - 1);

        assertThat(places(TimelineFixture.blank()
                        .sample("main", 0, 600, all)
                        .sample("main", 600, 1000, outer)
                        .build()))
                .first()
                .returns(place, Place::line)
                .returns(us(1000), Place::ns);
    }

    @Test
    void recordedFunctionsHavePlacesWithoutSamples() {
        List<Place> places = places(TimelineFixture.blank()
                .python("main", 0, 1000, MAIN)
                .python("main", 100, 700, "/app/store.py(7): store")
                .python("main", 200, 500, PARSES)
                .build());

        assertThat(places.get(0).line()).isEqualTo("/app/store.py:7 store");
        assertThat(places.get(0).ns()).isEqualTo(us(600));
        assertThat(places.get(0).count()).isEqualTo(1);
    }

    /** A server that a library runs, in a loop of compiled code: no frame of Python waits. */
    @Test
    void aServersThreadWithNothingToDoHasNoPlace() {
        assertThat(places(TimelineFixture.blank()
                        .state("1", 0, 100_000, 0, 0, WaitReason.SOCKET)
                        .waiting(WaitDetail.FOR_REQUEST)
                        .state("worker", 0, 100_000, 0, 0, WaitReason.FUTEX)
                        .state("worker", 100_000, 101_000, 1_000, 0, WaitReason.FUTEX)
                        .sample("worker", 0, 101_000, MAIN, "/usr/lib/python3.11/site-packages/engine/serve.py(9): run")
                        .build()))
                .allSatisfy(place -> assertThat(place.ns()).isLessThanOrEqualTo(us(1_000)));
    }

    /** What a server does around a handler is not called by the line that started it; the handler's lines are places. */
    @ParameterizedTest
    @CsvSource({
        "uvicorn/server.py(67): Server.run, /app/api.py:37 answer",
        "flask/testing.py(204): FlaskClient.open, /app/api.py:37 answer",
        "engine/serve.py(9): run, /app/serve.py:40 main"
    })
    void aServersOwnWorkIsNoPlaces(String runs, String place) {
        String server = "/usr/lib/python3.11/site-packages/" + runs;
        assertThat(places(TimelineFixture.blank()
                        .sample("main", 0, 600, MAIN, server)
                        .sample("main", 600, 1000, MAIN, server, "/app/api.py(37): answer", PARSES)
                        .build()))
                .first()
                .returns(place, Place::line);
    }

    @ParameterizedTest
    @CsvSource({"0, true", "300, false"})
    void aCallThatRunsAllTheTimeIsAroundThePart(long otherUs, boolean around) {
        String trains = "/usr/lib/python3.11/site-packages/trainers/loop.py(9): Trainer.train";
        assertThat(places(TimelineFixture.blank()
                        .sample(
                                "main",
                                0,
                                600 - otherUs,
                                MAIN,
                                trains,
                                CALL,
                                LINEAR,
                                "at::native::mm [libtorch_cpu.so]")
                        .sample(
                                "main",
                                600 - otherUs,
                                600,
                                "/app/serve.py(41): main",
                                CALL,
                                LINEAR,
                                "at::native::mm [libtorch_cpu.so]")
                        .sample("main", 600, 1000, MAIN, trains, PARSES)
                        .build()))
                .singleElement()
                .returns("/app/serve.py:40 main", Place::line)
                .returns(around, Place::around);
    }

    @Test
    void waitingForConnectionsIsNoCost() {
        assertThat(places(TimelineFixture.blank()
                        .sample(
                                "main",
                                0,
                                1000,
                                "/app/serve.py(60): main",
                                "/usr/lib/python3.11/socketserver.py(232): BaseServer.serve_forever",
                                "/usr/lib/python3.11/selectors.py(415): _PollLikeSelector.select")
                        .build()))
                .isEmpty();
    }

    /** What installed packages say of themselves is read by a package of the import system's name. */
    @Test
    void aModuleThatIsImportedIsNoCostAndOneThatIsLookedUpIs() {
        List<Place> places = places(TimelineFixture.blank()
                .sample("main", 0, 600, MAIN, CALL, LINEAR, "at::native::linear [libtorch_cpu.so]")
                .sample(
                        "main",
                        600,
                        800,
                        "/app/serve.py(42): main",
                        "<frozen importlib._bootstrap>(1176): _find_and_load")
                .sample(
                        "main",
                        800,
                        1000,
                        "/app/serve.py(43): main",
                        "/usr/lib/python3.11/importlib/metadata/__init__.py(1008): version")
                .build());

        assertThat(places).extracting(Place::line).containsExactly("/app/serve.py:43 main");
    }

    /** No other task runs while one waits, for a thread that ended before anything saw it, say. */
    @Test
    void aWaitOfATaskIsACostOfItsLineWhoeverEndsIt() {
        String loop = "/usr/lib/python3.11/asyncio/events.py(84): Handle._run";
        String waits = "/usr/lib/python3.11/threading.py(327): Condition.wait";
        String gets = "/app/serve.py(51): hook";
        List<Place> inTask = places(waiting(MAIN, loop, gets, waits));
        assertThat(inTask).extracting(Place::line).containsExactly("/app/serve.py:51 hook");
        assertThat(inTask.get(0).ns()).isEqualTo(us(400));
        assertThat(places(waiting(MAIN, gets, waits))).isEmpty();
    }

    /**
     * A task gives the next line of a file to a thread, again and again: the loop between two lines, and what it calls to
     * pass a result on, is on no stack of the task. A sample of another task stands for none of it; who waits for longer
     * may wait for work.
     */
    @ParameterizedTest
    @CsvSource({"100, /app/api.py:34 read", "3000, /app/serve.py:40 main"})
    void theLoopWorksForTheLineThatGivesWorkAwayAgainAndAgain(long roundUs, String line) {
        String loop = "/usr/lib/python3.11/asyncio/base_events.py(1922): BaseEventLoop._run_once";
        String task = "/usr/lib/python3.11/asyncio/events.py(84): Handle._run";
        String copies = "/usr/lib/python3.11/asyncio/futures.py(354): _copy_future_state";
        String[] works = roundUs < 2000 ? new String[] {MAIN, loop, task, copies} : new String[] {MAIN, loop};
        TimelineFixture fixture = TimelineFixture.blank().sample("main", 0, 3 * roundUs, works);
        fixture.builder().attribute(fixture.lastRow(), Attribute.LOOKED_NS, us(2.5 * roundUs));
        fixture.sample("main", 6 * roundUs, 9 * roundUs, MAIN, CALL, LINEAR, "at::native::mm [libtorch_cpu.so]")
                .sample("main", 3 * roundUs, 6 * roundUs, MAIN, loop, task, "/app/api.py(40): answer", PARSES);
        fixture.builder().attribute(fixture.lastRow(), Attribute.LOOKED_NS, us(2.5 * roundUs));
        for (int i = 0; i < 6; i++) {
            long us = i * roundUs;
            fixture.handedOverByTask("main", "/app/api.py:34 read", us, us, us + 60);
        }
        List<Place> places = places(fixture.build());

        assertThat(places).extracting(Place::line).contains(line);
        if (roundUs < 2000) {
            assertThat(places.get(0).ns()).isEqualTo(us(500));
            assertThat(places.get(0).calls()).containsExactly("Executor.submit");
            assertThat(places.get(0).count()).isEqualTo(5);
        } else {
            assertThat(places).extracting(Place::line).doesNotContain("/app/api.py:34 read");
        }
    }

    /** What a server does between two answers, each given to a thread at one line, is for the next request. */
    @Test
    void theLoopsTimeUntilTheNextRequestIsNoLines() {
        TimelineFixture fixture = TimelineFixture.blank()
                .sample(
                        "main",
                        0,
                        600,
                        MAIN,
                        "/usr/lib/python3.11/asyncio/base_events.py(1922): BaseEventLoop._run_once")
                .sample("main", 600, 900, MAIN, CALL, LINEAR, "at::native::mm [libtorch_cpu.so]");
        for (int us = 0; us < 600; us += 100) {
            fixture.host(RowKind.REQUEST, "server", us + 80, us + 190, "GET /")
                    .handedOverByTask("main", "/app/api.py:34 answer", us, us, us + 60);
        }

        assertThat(places(fixture.build())).extracting(Place::line).doesNotContain("/app/api.py:34 answer");
    }

    private static Timeline waiting(String... stack) {
        return TimelineFixture.blank()
                .state("main", 0, 400, 0, 0, WaitReason.FUTEX)
                .sample("main", 0, 400, stack)
                .state("main", 400, 1000, 600, 0, WaitReason.UNKNOWN)
                .sample("main", 400, 1000, MAIN, CALL, LINEAR, "at::native::linear [libtorch_cpu.so]")
                .build();
    }
}
