package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class WaitRuleTest {
    /** Lets the main thread spend time in the way that a rule is about. */
    interface Spend {
        TimelineFixture spend(TimelineFixture fixture, double fromUs, double toUs);
    }

    private static Arguments waiting(Rule rule, int cleanPercent, WaitReason reason) {
        return Arguments.of(rule, cleanPercent, (Spend)
                (fixture, fromUs, toUs) -> fixture.state("main", fromUs, toUs, 0, 0, reason));
    }

    /** The rules about one kind of time, a share of the window that each finds too small, in percent, and such time. */
    static Stream<Arguments> rules() {
        return Stream.of(
                waiting(WaitRule.GIL, 2, WaitReason.GIL),
                waiting(WaitRule.LOCK, 2, WaitReason.LOCK),
                waiting(WaitRule.FILE_IO, 2, WaitReason.FILE_IO),
                waiting(WaitRule.PAGE_FAULTS, 2, WaitReason.PAGE_FAULT),
                waiting(new ChildProcessRule(), 2, WaitReason.CHILD_PROCESS),
                waiting(new SleepingRule(), 9, WaitReason.TIMER),
                Arguments.of(WaitRule.GARBAGE_COLLECTION, 2, (Spend)
                        (fixture, fromUs, toUs) -> fixture.host(RowKind.GC, "main", fromUs, toUs, "gc")));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void reportsTheTimeAndTheLine(Rule rule, int cleanPercent, Spend spend) {
        Finding finding = found(rule, spending(60, spend));

        assertThat(finding.costNs()).isEqualTo(us(40));
        assertThat(finding.share()).isEqualTo(0.4);
        assertThat(finding.evidence())
                .filteredOn(Evidence.Place.class::isInstance)
                .extracting(e -> ((Evidence.Place) e).where())
                .contains("serve.py:7 step");
        assertThat(clean(rule, spending(100 - cleanPercent, spend))).contains(cleanPercent + ".0% of the window");
    }

    private static Timeline spending(double fromUs, Spend spend) {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 100, "step")
                .state("main", 0, fromUs, fromUs, 0, WaitReason.UNKNOWN);
        return spend.spend(fixture, fromUs, 100)
                .sample("main", 0, fromUs, "serve.py(7): step")
                .sample("main", fromUs, 100, "serve.py(7): step")
                .build();
    }

    @Test
    void collectionsAreCountedByStep() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 40; i++) {
            fixture.scope("main", 100 * i, 100 * i + 90, "forward Model").activity(RangeActivity.MODEL);
        }
        for (int i = 0; i < 40; i += 2) {
            fixture.host(RowKind.GC, "main", 100 * i + 10, 100 * i + 40, "gc");
        }
        assertThat(found(WaitRule.GARBAGE_COLLECTION, fixture).claim()).matches(".*, in \\d+ of \\d+ steps\\.");
    }

    /** A program that collects by hand, as after {@code gc.disable()}, is not told to begin with it. */
    @ParameterizedTest
    @CsvSource({"25, 15, true", "15, 25, false"})
    void aProgramThatCollectsItselfIsNotToldToCollectByHand(int calledUs, int otherUs, boolean itself) {
        String advice = found(
                        WaitRule.GARBAGE_COLLECTION,
                        TimelineFixture.blank()
                                .scope("main", 0, 100, "step")
                                .host(RowKind.GC, "main", 10, 10 + calledUs, "gc.collect generation 2")
                                .host(RowKind.GC, "main", 50, 50 + otherUs, "gc generation 2"))
                .advice();

        assertThat(advice.contains("itself calls `gc.collect()`")).isEqualTo(itself);
        assertThat(advice.contains("gc.disable()")).isEqualTo(!itself);
    }

    /** A long run has the collections of its imports once: what helps between requests does not help there. */
    @Test
    void collectionsDuringImportsAreNoMatterOfRequests() {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 60, "import torch")
                .activity(RangeActivity.LOAD)
                .host(RowKind.GC, "main", 20, 50, "gc")
                .scope("main", 60, 100, "work");

        assertThat(found(WaitRule.GARBAGE_COLLECTION, fixture).advice())
                .contains("before the imports")
                .doesNotContain("between requests");
        assertThat(found(WaitRule.GARBAGE_COLLECTION, fixture.host(RowKind.GC, "main", 62, 99, "gc"))
                        .advice())
                .contains("between requests");
    }

    @ParameterizedTest
    @CsvSource({
        "ksys_write, rep_movs_alternative, File I/O takes",
        "memset, exc_page_fault, Page faults take",
    })
    void whatTheKernelDoesOnACpuCountsToo(String outer, String inner, String claim) {
        Rule rule = claim.startsWith("File") ? WaitRule.FILE_IO : WaitRule.PAGE_FAULTS;
        String library = outer.equals("memset") ? " [libc.so.6]" : " [kernel]";
        TimelineFixture timeline = TimelineFixture.blank()
                .sample("main", 0, 60, "serve.py(7): step")
                .sample("main", 60, 100, "serve.py(9): log", outer + library, inner + " [kernel]");

        assertThat(found(rule, timeline).claim())
                .isEqualTo(claim + " 40.0 us of the critical thread, 40.0% of the window.");
    }

    /** A wait for a file may be for its last bytes to reach the disk. */
    @Test
    void whoWaitsForFilesIsNotToldOfReadingAlone() {
        TimelineFixture timeline =
                TimelineFixture.blank().scope("main", 0, 100, "step").state("main", 0, 100, 0, 0, WaitReason.FILE_IO);

        assertThat(found(WaitRule.FILE_IO, timeline).advice()).contains("Read ahead", "sync less often");
    }

    /** Nsight Systems records the C library's calls as waits. */
    @Test
    void aWaitOutsideAnyActivityIsNamedByItsCall() {
        TimelineFixture timeline = TimelineFixture.blank()
                .kernel("7", 0, 10, "k")
                .host(RowKind.THREAD_STATE, "main", 20, 80, "fopen")
                .text(Attribute.DETAIL, "fopen");
        timeline.builder().attribute(timeline.lastRow(), Attribute.WAIT_REASON, WaitReason.FILE_IO.ordinal());
        timeline.kernel("7", 90, 100, "k").launchedBy("main", 85, 88);

        assertThat(found(WaitRule.FILE_IO, timeline).places()).contains("fopen");
    }

    /** On a futex, where no other thread is known to use it. */
    @ParameterizedTest
    @CsvSource({
        "lock [python], 0, true", // Who holds it sleeps.
        "serve.py(7): step, 0, false", // An iterator, say, which waits in C.
        "called [queue.so], 0, false",
        "serve.py(7): step, 100, true", // Another thread works, and may hold it.
        "called [queue.so], 100, false"
    })
    void aFutexIsALockWhereOneIsTakenOrAnotherThreadWorks(String innermost, double otherRunsUs, boolean isLock) {
        TimelineFixture fixture = TimelineFixture.blank()
                .scope("main", 0, 100, "serve.py")
                .activity(RangeActivity.INTERPRETER)
                .sample("main", 0, 100, "serve.py(3): load", innermost)
                .state("main", 0, 100, 0, 0, WaitReason.FUTEX)
                .sample("other", 0, 100, "threading.py(982): run", "serve.py(20): hold")
                .state("other", 0, 100, otherRunsUs, 0, WaitReason.TIMER);

        Verdict verdict = RuleVerdicts.of(WaitRule.LOCK, fixture);

        assertThat(verdict instanceof Verdict.Found).isEqualTo(isLock);
    }

    @Test
    void aNativeProgramsLockIsWhereItIsWaitedForAndNotWhereItsHolderWasSampled() {
        Finding finding = found(
                WaitRule.LOCK,
                TimelineFixture.blank()
                        .state("1", 0, 40, 40, 0, WaitReason.UNKNOWN)
                        .state("1", 40, 100, 0, 0, WaitReason.LOCK)
                        .heldBy(7)
                        .sample("1", 0, 40, "p.cpp(11): digest [p]")
                        .sample("1", 40, 100, "p.cpp(13): record [p]", "__x64_sys_futex [kernel]")
                        .state("7", 0, 100, 30, 0, WaitReason.TIMER)
                        .sample("7", 0, 100, "p.cpp(11): digest [p]"));

        assertThat(finding.evidence().get(0))
                .isEqualTo(new Evidence.Place("waiting for a lock", "p.cpp:13 record [p]", us(60), 1));
        assertThat(finding.evidence().toString())
                .contains("held by `thread 7`, at work meanwhile")
                .doesNotContain("held meanwhile");
    }

    /** Native stacks are taken on a CPU: the line that ran before the wait is no place of the wait. */
    @Test
    void aLineThatANativeProgramRanBeforeItsWaitIsNotWhereItWaits() {
        Finding finding = found(
                WaitRule.LOCK,
                TimelineFixture.blank()
                        .state("1", 0, 40, 40, 0, WaitReason.UNKNOWN)
                        .state("1", 40, 100, 0, 0, WaitReason.LOCK)
                        .heldBy(7)
                        .sample("1", 0, 100, "p.cpp(3): main [p]", "p.cpp(11): answer [p]")
                        .state("7", 0, 100, 30, 0, WaitReason.TIMER)
                        .sample("7", 0, 100, "p.cpp(20): rebuild [p]"));

        assertThat(finding.evidence().toString())
                .contains("held by `thread 7`, at work meanwhile, where=p.cpp:20 rebuild [p]")
                .doesNotContain("answer");
    }
}
