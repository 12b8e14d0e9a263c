package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Report;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CostlyPlaceRuleTest {
    private static final String CALL =
            "/usr/lib/python3.11/site-packages/torch/nn/modules/module.py(1775): Module._call_impl";
    private static final String LINEAR =
            "/usr/lib/python3.11/site-packages/torch/nn/modules/linear.py(134): Linear.forward";
    private static final String CLIENT = "/usr/lib/python3.11/site-packages/httpx/_client.py(680): Client.__init__";
    private static final String GET = "/usr/lib/python3.11/site-packages/httpx/_client.py(1053): Client.get";
    private static final String READS = "/usr/lib/python3.11/site-packages/torch/serialization.py(1400): load";
    private static final String PARSES = "/usr/lib/python3.11/json/decoder.py(353): JSONDecoder.raw_decode";

    private final Rule rule = new CostlyPlaceRule();

    /** A hundred rounds of 1 ms, each sampled: the model, then a line in two classes. */
    private static TimelineFixture rounds(int model, String... frames) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < (frames.length == 0 ? model : 100); i++) {
            boolean computes = i < model;
            fixture.sample(
                    "main",
                    i * 1000,
                    i * 1000 + 1000,
                    computes
                            ? new String[] {
                                "/app/serve.py(40): main", CALL, LINEAR, "at::native::linear [libtorch_cpu.so]"
                            }
                            : frames);
        }
        return fixture;
    }

    @Test
    void namesTheLineWithItsClassesAndWhatItCalls() {
        Finding finding = found(rule, rounds(50, "/app/serve.py(41): main", CLIENT));

        assertThat(finding.claim())
                .isEqualTo("serve.py:41 main, calling `Client.__init__`, takes 50.0 ms, 50.0% of the window:"
                        + " Python code of libraries 50.0%.");
        assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
        assertThat(finding.costNs()).isEqualTo(us(50_000));
        assertThat(finding.places().get(0)).startsWith("/app/serve.py:41 main");
        assertThat(finding.advice()).startsWith("Make `Client` once");
    }

    /** What a library's function does decides what helps, also where a finding about its class names the line. */
    @Test
    void theAdviceIsOnWhatTheCalledFunctionDoes() {
        String[] copies = {"/app/serve.py(41): main", "/usr/lib/python3.11/copy.py(128): deepcopy"};

        assertThat(found(rule, rounds(50, copies)).advice()).startsWith("Copy less");
        Finding first = new Analyzer()
                .analyze(rounds(50, copies).build(), "serve.py")
                .findings()
                .get(0);
        assertThat(first.claim()).startsWith("serve.py:41 main, calling `deepcopy`");
        assertThat(first.advice()).startsWith("Copy less");
    }

    @Test
    void theOwnFunctionWithMostOfTheCostIsNamed() {
        TimelineFixture fixture = rounds(50);
        for (int i = 50; i < 100; i++) {
            fixture.sample(
                    "main",
                    i * 1000,
                    i * 1000 + 1000,
                    "/app/serve.py(41): main",
                    i % 5 < 3 ? "/app/text.py(7): join" : "/app/text.py(20): strip");
        }

        assertThat(found(rule, fixture).claim())
                .startsWith("serve.py:41 main, mostly in text.py:7 join, takes 50.0 ms");
    }

    /** What PyTorch makes to write a tensor's text is out of the hands of the line that logs it. */
    @Test
    void whatAnotherPackageMakesCannotBeKept() {
        Finding finding = found(
                rule,
                rounds(
                        50,
                        "/app/serve.py(41): main",
                        "/usr/lib/python3.11/logging/__init__.py(1489): Logger.info",
                        "/usr/lib/python3.11/site-packages/torch/_tensor_str.py(120): _Formatter.__init__"));

        assertThat(finding.advice()).doesNotContain("Make `");
    }

    @Test
    void whatIsCalledOnceIsNotToBeCalledLessOften() {
        String trains = "/usr/lib/python3.11/site-packages/trainers/loop.py(9): Trainer.train";
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 100; i++) {
            String[] frames = i % 2 == 0
                    ? new String[] {"/app/serve.py(40): main", trains, CALL, LINEAR, "at::native::mm [libtorch_cpu.so]"}
                    : new String[] {
                        "/app/serve.py(40): main",
                        trains,
                        List.of(PARSES, GET, "ksys_read [kernel]").get(i % 3)
                    };
            fixture.sample("main", i * 1000, i * 1000 + 1000, frames);
        }

        assertThat(found(rule, fixture).advice())
                .isEqualTo("`Trainer.train` is called once, and runs all the time: look at what it does.");
    }

    /** One finding with the line's whole cost and the remedy of loads, instead of two. */
    @Test
    void loadsOfTheSameThingJoinTheirLine() {
        TimelineFixture fixture = rounds(50, "/app/serve.py(41): main", CLIENT);
        for (int i = 50; i < 100; i++) {
            fixture.scope("main", i * 1000, i * 1000 + 900, "TLS certificates")
                    .text(Attribute.WHERE, "/app/serve.py:41 main")
                    .activity(RangeActivity.LOAD)
                    .text(Attribute.LOADED, "roots.pem 1");
        }

        List<Finding> findings =
                new Analyzer().analyze(fixture.build(), "serve.py").findings();

        assertThat(findings.get(0).rule()).isEqualTo(CostlyPlaceRule.ID);
        assertThat(findings.get(0).claim()).contains("takes 50.0 ms", " The same thing is loaded 50 times");
        assertThat(findings.get(0).advice()).startsWith("Make one client");
        assertThat(findings).extracting(Finding::rule).doesNotContain(RepeatedLoadsRule.ID, "compile-load");
    }

    /** Half of the window in recorded calls of the line: 2 % and 6 % of the rest, and nothing for samples. */
    @Test
    void samplesDoNotDecideHowLongRecordedCallsTook() {
        Finding finding = found(rule, loads(80, 80, ""));

        assertThat(finding.gain()).isNotNull();
        assertThat(finding.gain().lowNs()).isEqualTo(us(79_000));
        assertThat(finding.gain().highNs()).isEqualTo(us(85_000));
    }

    /** What was loaded anew lies in no cache: a quarter of the rest may go with it, too much for a rest of 60 %. */
    @ParameterizedTest
    @CsvSource({"40, false", "80, true"})
    void whatIsLoadedAnewMayCostTimeWhereItIsUsed(int rounds, boolean claims) {
        Finding line = found(rule, loads(rounds, rounds, "w.pt 1"));
        Finding loads = found(new RepeatedLoadsRule(), loads(rounds, rounds, "w.pt 1"));

        assertThat(List.of(line.gain() != null, loads.gain() != null)).containsOnly(claims);
        assertThat(line.noGainBecause().endsWith("may also cost time where it is used"))
                .isNotEqualTo(claims);
        assertThat(loads.noGainBecause().endsWith("how much faster the rest runs without it"))
                .isNotEqualTo(claims);
    }

    /** A client's first request connects: 25 % of the rest may go with it, too much for 60 % and not for 25 %. */
    @ParameterizedTest
    @CsvSource({"60, false", "25, true"})
    void whatIsMadeAnewMayCostTimeWhereItIsUsed(int model, boolean claims) {
        Finding finding = found(
                rule,
                rounds(model, "/app/serve.py(41): main", CLIENT)
                        .scope("main", model * 1000, 100_000, "Client")
                        .where("/app/serve.py:41 main"));

        assertThat(finding.gain() != null).isEqualTo(claims);
        assertThat(finding.noGainBecause().endsWith("may also cost time where it is used"))
                .isNotEqualTo(claims);
    }

    /** Beside 80 ms of a line, a thread that works for 50 of 100 ms works while the line does. */
    @ParameterizedTest
    @CsvSource({"50_000, false", "20_000, true"})
    void noGainIsClaimedWhereAnotherThreadWorksMeanwhile(String worksUs, boolean claims) {
        double us = Double.parseDouble(worksUs.replace("_", ""));
        Finding finding = found(rule, loads(80, 80, "").state("worker", 0, 100_000, us, 0, WaitReason.UNKNOWN));

        assertThat(finding.gain() != null).isEqualTo(claims);
        assertThat(finding.noGainBecause().endsWith("it would then be waited for"))
                .isNotEqualTo(claims);
    }

    /** Of 60 ms of a function, one line has 50: the others belong to it, unless that line only calls another function. */
    @ParameterizedTest
    @CsvSource({"0, serve.py:11 parse, 60.0 ms", "50, serve.py:21 tokens, 50.0 ms"})
    void aFunctionIsOnePlaceUnlessOneOfItsLinesPassesItsCostOn(int deeper, String place, String cost) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 100; i++) {
            String[] frames = i < 40
                    ? new String[] {"/app/serve.py(40): main", CALL, LINEAR, "at::native::linear [libtorch_cpu.so]"}
                    : i < 50
                            ? new String[] {"/app/serve.py(41): main", "/app/serve.py(12): parse", PARSES}
                            : i < 50 + deeper
                                    ? new String[] {
                                        "/app/serve.py(41): main",
                                        "/app/serve.py(11): parse",
                                        "/app/serve.py(21): tokens",
                                        PARSES
                                    }
                                    : new String[] {"/app/serve.py(41): main", "/app/serve.py(11): parse", PARSES};
            fixture.sample("main", i * 1000, i * 1000 + 1000, frames);
        }

        assertThat(found(rule, fixture).claim()).startsWith(place).contains("takes " + cost);
    }

    /**
     * A thread of OpenMP's team waits on its CPU for the next loop that the judged thread shares with it. Without a line
     * between their loops, which took 67 % of a program, 80 to 87 % were saved.
     */
    @ParameterizedTest
    @CsvSource({
        "[libgomp-24e2ab19.so.1], the rest shares its loops with threads that are on a CPU for 95.0 ms",
        "[libtbb.so.12], another thread works meanwhile"
    })
    void aTeamThatWaitsOnItsCpuDoesNotWork(String library, String reason) {
        TimelineFixture fixture = loads(50, 50, "").state("worker", 0, 100_000, 95_000, 0, WaitReason.UNKNOWN);
        fixture.sample("main", 100_000, 101_000, "/app/serve.py(40): main", "wait_end " + library);

        assertThat(found(rule, fixture).noGainBecause()).startsWith(reason);
    }

    /** A line loads the same thing, and then does something with it: that may go, too. */
    @Test
    void whatALineDoesBesideItsLoadsMayBeSavedWithThem() {
        Finding finding = new Analyzer()
                .analyze(loads(78, 80, "w.pt 1").build(), "serve.py")
                .findings()
                .get(0);

        assertThat(finding.claim()).contains("The same thing is loaded 78 times");
        assertThat(finding.gain()).isNotNull();
        assertThat(finding.gain().lowNs()).isLessThan(us(77_000));
        assertThat(finding.gain().highNs()).isGreaterThan(us(84_000));
    }

    @Test
    void nothingIsClaimedWhereTooMuchOfALineMayBeSavedWithItsLoads() {
        Finding finding = new Analyzer()
                .analyze(loads(75, 89, "w.pt 1").build(), "serve.py")
                .findings()
                .get(0);

        assertThat(finding.claim()).contains("The same thing is loaded 75 times");
        assertThat(finding.gain()).isNull();
        assertThat(finding.noGainBecause()).endsWith("whether the line's other work would also be saved");
    }

    /** Rounds of 1 ms at a line, after as many of the model; some of them are recorded loads. */
    private static TimelineFixture loads(int recorded, int rounds, String loaded) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 100; i++) {
            String[] frames = i < 100 - rounds
                    ? new String[] {"/app/serve.py(40): main", CALL, LINEAR, "at::native::linear [libtorch_cpu.so]"}
                    : new String[] {"/app/serve.py(41): main", i < 100 - recorded ? PARSES : READS};
            fixture.sample("main", i * 1000, i * 1000 + 1000, frames);
        }
        for (int i = 100 - recorded; i < 100; i++) {
            fixture.scope("main", i * 1000, i * 1000 + 1000, "torch.load")
                    .where("/app/serve.py:41 main")
                    .activity(RangeActivity.LOAD);
            if (!loaded.isEmpty()) {
                fixture.text(Attribute.LOADED, loaded);
            }
        }
        return fixture;
    }

    /** One finding with the line that waits, and with what helps against the work that it waits for. */
    @Test
    void aWaitForOthersJoinsItsLine() {
        TimelineFixture fixture = rounds(50);
        for (int i = 50; i < 100; i++) {
            fixture.sample("main", i * 1000, i * 1000 + 1000, "/app/serve.py(41): main")
                    .sample(
                            "worker",
                            i * 1000,
                            i * 1000 + 1000,
                            i % 2 == 0 ? PARSES : "/usr/lib/python3.11/multiprocessing/queues.py(122): Queue.put")
                    .state("main", i * 1000, i * 1000 + 1000, 0, 0, WaitReason.PIPE)
                    .state("worker", i * 1000, i * 1000 + 1000, 700, 300, WaitReason.UNKNOWN)
                    .handedOver("worker", "main", i * 1000, i * 1000 + 1000);
        }

        List<Finding> findings =
                new Analyzer().analyze(fixture.build(), "serve.py").findings();

        assertThat(findings.get(0).claim()).startsWith("serve.py:41 main takes 50.0 ms");
        assertThat(findings.get(0).advice()).startsWith("Most of that work passes data");
        assertThat(findings).extracting(Finding::rule).doesNotContain(WaitingForWorkerRule.ID);
    }

    /**
     * A line that takes a sixth of each of 100 rounds of 60 ms, seen by samples 18 ms apart: what it saves is known to
     * some points, and the rest may run faster without it.
     */
    @Test
    void theGainOfALineThatRecursEvenlyIsNarrowAndAllowsForTheRest() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int us = 0; us < 6_000_000; us += 18_000) {
            if (us % 60_000 < 10_000) {
                fixture.sample("main", us, us + 18_000, "/app/serve.py(41): main", GET);
            } else {
                fixture.sample(
                        "main",
                        us,
                        us + 18_000,
                        "/app/serve.py(40): main",
                        CALL,
                        LINEAR,
                        "at::native::linear [libtorch_cpu.so]");
            }
        }

        Finding finding = found(rule, fixture);
        double below = finding.costNs() - finding.gain().lowNs();
        double above = finding.gain().highNs() - finding.costNs();

        assertThat(finding.share()).isBetween(0.15, 0.21);
        assertThat(below / us(6_000_000)).isBetween(0.04, 0.05);
        assertThat(above / us(6_000_000)).isBetween(0.08, 0.1);
    }

    /** Twelve samples of a hundred may be five by chance alone. */
    @Test
    void theSamplingErrorIsDeducted() {
        assertThat(found(rule, rounds(88, "/app/serve.py(41): main", GET)).severity())
                .isEqualTo(Severity.INFO);
    }

    /** A line that hardly works is no place, however long it waits for a CPU on a crowded machine. */
    @Test
    void aLineThatOnlyLacksACpuIsNoPlace() {
        assertThat(clean(
                        rule,
                        TimelineFixture.blank()
                                .sample("main", 0, 40_000, "/app/serve.py(41): main", GET)
                                .state("main", 0, 40_000, 1_000, 39_000, WaitReason.UNKNOWN)
                                .sample("main", 40_000, 100_000, "/app/serve.py(40): main", CALL, LINEAR)
                                .state("main", 40_000, 100_000, 60_000, 0, WaitReason.UNKNOWN)
                                .build()))
                .startsWith("the costliest line, /app/serve.py:41 main, takes 40.0%");
    }

    /** {@code beforeMs} each of own code and of loading, in turns, forty passes of 10 ms, and own code of {@code afterMs}. */
    private static TimelineFixture besideLoop(int beforeMs, int afterMs) {
        TimelineFixture fixture = TimelineFixture.blank();
        int us = 0;
        for (int i = 0; i < beforeMs; i++, us += 2000) {
            fixture.sample("main", us, us + 1000, "/app/frame.py(7): clean")
                    .sample("main", us + 1000, us + 2000, "/app/frame.py(3): open", READS);
        }
        for (int pass = 0; pass < 40; pass++, us += 10_000) {
            fixture.scope("main", us, us + 9_900, "forward Model")
                    .activity(RangeActivity.MODEL)
                    .sample("main", us, us + 10_000, "/app/serve.py(40): main", CALL, LINEAR);
        }
        for (int i = 0; i < afterMs; i++, us += 1000) {
            fixture.sample("main", us, us + 1000, "/app/report.py(9): write");
        }
        return fixture;
    }

    /** Loading before the loop is told by itself; what costs less than a limit is not told. */
    @ParameterizedTest
    @CsvSource({
        "300, 0, 'frame.py:7 clean takes 300 ms, 30.0% of the window, before the steady state: Python 30.0%.'",
        "0, 200, 'report.py:9 write takes 200 ms, 33.3% of the window, after the steady state: Python 33.3%.'",
        "20, 20, ''"
    })
    void placesBesideTheSteadyStateAreToldToo(int beforeMs, int afterMs, String claim) {
        Timeline timeline = besideLoop(beforeMs, afterMs).build();

        assertThat(new Analyzer().analyze(timeline, "serve.py").findings())
                .filteredOn(finding -> finding.rule().equals(CostlyPlaceRule.ID))
                .extracting(Finding::claim)
                .isEqualTo(claim.isEmpty() ? List.of() : List.of(claim));
    }

    @Test
    void cheapLinesAreClean() {
        assertThat(clean(rule, rounds(94, "/app/serve.py(41): main", GET)))
                .isEqualTo("the costliest line, /app/serve.py:41 main, takes 6.0% of the window");
    }

    @Test
    void aDeviceIsJudgedByItsIdleTime() {
        assertThat(notApplicable(rule, TimelineFixture.draw("""
                us           0         10        20        30        40
                thread main  LL........"app.py(12): pick"LL
                stream 7     ..KKKKKKKK....................KKKKKKKKKK
                links in order
                """))).isNotEmpty();
    }

    /** Python takes 25 % at the place and serialisation 15 %: python-dominates becomes a part of the place's finding. */
    @Test
    void findingsAboutClassesJoinThePlace() {
        TimelineFixture fixture = rounds(60, "/app/serve.py(41): main", "/app/store.py(7): store");
        for (int i = 0; i < 15; i++) {
            fixture.sample(
                    "main",
                    100_000 + i * 1000,
                    101_000 + i * 1000,
                    "/app/serve.py(41): main",
                    "/app/store.py(7): store",
                    PARSES);
        }

        Report report = new Analyzer().analyze(fixture.build(), "serve.py");
        List<Finding> findings = report.findings();

        assertThat(findings.get(0).rule()).isEqualTo(CostlyPlaceRule.ID);
        assertThat(findings.get(0).claim()).startsWith("store.py:7 store takes 55.0 ms, 47.8% of the window");
        assertThat(findings).extracting(Finding::rule).doesNotContain("python-dominates");
    }

    /** Nine tenths of what a call takes is the collection of its garbage: calling it less often is what helps. */
    @Test
    void theGarbageOfACallIsThePlacesCost() {
        String get = "/usr/lib/python3.11/site-packages/httpx/_client.py(1053): Client.get";
        TimelineFixture fixture = rounds(60, "/app/serve.py(41): main", get);
        for (int i = 60; i < 100; i++) {
            fixture.host(RowKind.GC, "main", i * 1000, i * 1000 + 900, "gc generation 2");
        }

        List<Finding> findings =
                new Analyzer().analyze(fixture.build(), "serve.py").findings();

        assertThat(findings.get(0).rule()).isEqualTo(CostlyPlaceRule.ID);
        assertThat(findings.get(0).claim()).startsWith("serve.py:41 main, calling `Client.get`, takes 40.0 ms");
        assertThat(findings.get(0).advice()).startsWith("Ask for many things in one call");
        assertThat(findings).extracting(Finding::rule).doesNotContain("garbage-collection");
    }

    /** A DataLoader without workers: the thread does not wait for its batch, it makes it. */
    @Test
    void aLineThatMakesTheBatchIsToldInsteadOfAWaitForIt() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 100; i++) {
            fixture.scope("main", i * 1000, i * 1000 + 500, "DataLoader next")
                    .text(Attribute.WHERE, "/app/train.py:41 main")
                    .sample("main", i * 1000, i * 1000 + 500, "/app/train.py(41): main", "/app/data.py(7): decode")
                    .sample("main", i * 1000 + 500, i * 1000 + 1000, "/app/train.py(42): main", CALL, LINEAR);
        }

        List<Finding> findings =
                new Analyzer().analyze(fixture.build(), "train.py").findings();

        assertThat(findings.get(0).claim()).startsWith("data.py:7 decode");
        assertThat(findings).extracting(Finding::rule).doesNotContain(InputBoundRule.ID);
    }

    /** With workers, the line that asks waits, and the line in the worker is what to change. */
    @Test
    void aLineThatAsksWorkersForABatchIsToldAsInput() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 100; i++) {
            fixture.scope("main", i * 1000, i * 1000 + 500, "DataLoader next")
                    .text(Attribute.WHERE, "/app/train.py:41 main")
                    .state("main", i * 1000, i * 1000 + 500, 0, 0, WaitReason.PIPE)
                    .sample("main", i * 1000, i * 1000 + 500, "/app/train.py(41): main")
                    .state("main", i * 1000 + 500, i * 1000 + 1000, 500, 0, WaitReason.UNKNOWN)
                    .sample("main", i * 1000 + 500, i * 1000 + 1000, "/app/train.py(42): main", CALL, LINEAR)
                    .state("worker", i * 1000, i * 1000 + 500, 500, 0, WaitReason.UNKNOWN)
                    .sample("worker", i * 1000, i * 1000 + 500, "/app/rows.py(5): pad")
                    .handedOver("worker", "main", i * 1000, i * 1000 + 500);
        }

        List<Finding> findings =
                new Analyzer().analyze(fixture.build(), "train.py").findings();

        assertThat(findings.get(0).places()).startsWith("/app/rows.py:5 pad");
        assertThat(findings.get(0).gain()) // The worker makes one batch after the other: not making them shortens both.
                .isNotNull()
                .satisfies(gain -> assertThat(us(50_000)).isBetween(gain.lowNs(), gain.highNs()));
        assertThat(findings)
                .extracting(Finding::rule)
                .contains(InputBoundRule.ID)
                .doesNotContain(CostlyPlaceRule.ID);
    }

    /** Nobody is seen to make the batches: the workers are started for each pass, which is the line's cost, too. */
    @Test
    void aLineThatAlsoStartsWorkersIsToldWithAllItsCost() {
        String start = "/usr/lib/python3.11/multiprocessing/process.py(121): BaseProcess.start";
        String sends = "/usr/lib/python3.11/json/encoder.py(200): JSONEncoder.encode";
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 100; i++) {
            fixture.scope("main", i * 1000, i * 1000 + 200, "DataLoader next")
                    .text(Attribute.WHERE, "/app/train.py:41 main")
                    .state("main", i * 1000, i * 1000 + 200, 0, 0, WaitReason.PIPE)
                    .sample("main", i * 1000, i * 1000 + 200, "/app/train.py(41): main")
                    .state("worker", i * 1000, i * 1000 + 200, 200, 0, WaitReason.UNKNOWN)
                    .handedOver("worker", "main", i * 1000, i * 1000 + 200)
                    .state("main", i * 1000 + 200, i * 1000 + 1000, 800, 0, WaitReason.UNKNOWN)
                    .sample("main", i * 1000 + 200, i * 1000 + 350, "/app/train.py(41): main", start)
                    .sample("main", i * 1000 + 350, i * 1000 + 500, "/app/train.py(41): main", sends)
                    .sample("main", i * 1000 + 500, i * 1000 + 1000, "/app/train.py(42): main", CALL, LINEAR);
        }

        List<Finding> findings =
                new Analyzer().analyze(fixture.build(), "train.py").findings();

        assertThat(findings.get(0).rule()).isEqualTo(CostlyPlaceRule.ID);
        assertThat(findings.get(0).places()).startsWith("/app/train.py:41 main");
        assertThat(findings.get(0).costNs()).isBetween(us(49_000), us(50_000));
        assertThat(findings.get(0).advice()).contains("num_workers");
        assertThat(findings).extracting(Finding::rule).doesNotContain(InputBoundRule.ID);
    }

    @Test
    void aFindingAboutTheSameTimeNamesThePlace() {
        Report report = new Analyzer()
                .analyze(
                        rounds(50, "/app/serve.py(41): main", "/app/store.py(7): store")
                                .build(),
                        "serve.py");

        assertThat(report.findings().get(0).rule()).isEqualTo("python-dominates");
        assertThat(report.findings().get(0).claim())
                .startsWith("store.py:7 store: The program's own Python code takes 50.0 ms, 50.0% of the window.");
        assertThat(report.findings()).extracting(Finding::rule).doesNotContain(CostlyPlaceRule.ID);
    }

    /** A command that a line runs is its cost, with what starts it. Python's library waits in a select for the output. */
    @Test
    void aCommandIsTheCostOfTheLineThatRunsIt() {
        String runs = "/app/serve.py(41): convert";
        String run = "/usr/lib/python3.11/subprocess.py(548): run";
        String waits = "/usr/lib/python3.11/selectors.py(415): _PollLikeSelector.select";
        String starts = "/usr/lib/python3.11/subprocess.py(1792): Popen._execute_child";
        TimelineFixture fixture = TimelineFixture.blank();
        for (long us = 0; us < 100_000; us += 1000) {
            fixture.state("main", us, us + 300, 0, 0, WaitReason.CHILD_PROCESS)
                    .sample("main", us, us + 300, runs, run, waits)
                    .state("main", us + 300, us + 1000, 700, 0, WaitReason.UNKNOWN)
                    .sample("main", us + 300, us + 420, runs, run, starts)
                    .sample(
                            "main",
                            us + 420,
                            us + 1000,
                            "/app/serve.py(40): main",
                            CALL,
                            LINEAR,
                            "at::mm [libtorch_cpu.so]");
        }

        List<Finding> findings =
                new Analyzer().analyze(fixture.build(), "serve.py").findings();
        assertThat(findings.get(0).claim()).startsWith("serve.py:41 convert, calling `run`, takes 42.0 ms, 42.0%");
        assertThat(findings).extracting(Finding::rule).doesNotContain("child-process");
    }

    /** A line waits for a disk that works for it. What it costs besides is less than a fifth, so one finding tells all. */
    @Test
    void aFindingAboutFilesNamesTheLineThatWaitsForThem() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (long us = 0; us < 100_000; us += 1000) {
            fixture.state("main", us, us + 250, 0, 0, WaitReason.FILE_IO)
                    .sample("main", us, us + 250, "/app/serve.py(41): store")
                    .state("main", us + 250, us + 1000, 750, 0, WaitReason.UNKNOWN)
                    .sample("main", us + 250, us + 270, "/app/serve.py(41): store")
                    .sample(
                            "main",
                            us + 270,
                            us + 1000,
                            "/app/serve.py(40): main",
                            CALL,
                            LINEAR,
                            "at::mm [libtorch_cpu.so]");
        }

        List<Finding> findings =
                new Analyzer().analyze(fixture.build(), "serve.py").findings();

        assertThat(findings.get(0).rule()).isEqualTo("file-io");
        assertThat(findings.get(0).claim()).startsWith("serve.py:41 store: File I/O takes 25.0 ms");
    }

    /** A line waits 0.3 ms of each, and works besides: where that is much, what it costs in all is told. */
    @ParameterizedTest
    @CsvSource({"250, costly-place, 55.0 ms", "40, sleeping, 30.0 ms"})
    void aLineThatAlsoWorksIsToldWithAllItsCost(long worksUs, String rule, String cost) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (long us = 0; us < 100_000; us += 1000) {
            fixture.state("main", us, us + 300, 0, 0, WaitReason.TIMER)
                    .sample("main", us, us + 300, "/app/serve.py(41): fetch")
                    .state("main", us + 300, us + 1000, 700, 0, WaitReason.UNKNOWN)
                    .sample("main", us + 300, us + 300 + worksUs, "/app/serve.py(41): fetch")
                    .sample(
                            "main",
                            us + 300 + worksUs,
                            us + 1000,
                            "/app/serve.py(40): main",
                            CALL,
                            LINEAR,
                            "at::mm [libtorch_cpu.so]");
        }

        Finding first = new Analyzer()
                .analyze(fixture.build(), "serve.py").findings().stream()
                        .filter(finding -> finding.severity() != Finding.Severity.HEALTHY)
                        .findFirst()
                        .orElseThrow();

        assertThat(first.rule()).isEqualTo(rule);
        assertThat(first.claim()).contains(cost);
    }
}
