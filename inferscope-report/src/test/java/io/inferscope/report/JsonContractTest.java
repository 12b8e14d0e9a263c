package io.inferscope.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Report;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The JSON report against the contract of schema inferscope-report/1: members may be added, but none renamed, retyped or dropped. */
class JsonContractTest {
    private static final Map<String, Object> GPU =
            JsonTree.object(JsonTree.of(Rendered.as("json", ReportFixture.gpu())));

    @ParameterizedTest
    @CsvSource({
        "'', schema:text title:text originUnixNs:text window:object judged:object verdict:object diagnosis:array"
                + " suggestions:array notes:array ledgers:array rollup:array devices:array idleBlame:array scopes:array"
                + " kernels:array copies:array operators:array threads:array launches:array hostTime:array waitedFor:array requests:array machine:array nativeModules:array graphs:array operatorShapes:array devicePeaks:array allocators:array sampledLines:array"
                + " sampledFunctions:array criticalPath:object findings:array rules:array"
                + " trust:array coverage:array importStats:object overhead:object",
        "window, startNs:whole endNs:whole durationNs:whole",
        "judged, what:text subject:text startNs:whole endNs:whole",
        "verdict, bound:text claim:text marginPoints:decimal next:text because:array",
        "ledgers, subject:text part:text durationNs:whole classes:array",
        "ledgers.classes, id:text ns:whole share:decimal basis:text boundNs:whole",
        "rollup, id:text ns:whole share:decimal",
        "devices, id:text name:text operations:object firstNs:whole lastNs:whole spanNs:whole busyNs:whole spanIdleNs:whole"
                + " windowIdleNs:whole computeNs:whole exposedCommunicationNs:whole exposedH2dNs:whole exposedD2hNs:whole"
                + " exposedOtherCopyNs:whole gaps:whole longestGapNs:whole",
        "devices.operations, compute:whole h2d:whole",
        "idleBlame, device:text phase:text thread:text? cause:text state:text activity:text? where:text? ns:whole gaps:whole basis:text"
                + " boundNs:whole",
        "scopes, name:text where:text? class:text count:whole wallNs:whole selfNs:whole onCpuNs:whole? deviceBusyNs:whole"
                + " deviceIdleNs:whole",
        "kernels, name:text device:text communication:flag count:whole totalNs:whole minNs:whole maxNs:whole"
                + " launchLatencyNs:whole? queueDelayNs:whole? operator:text?",
        "copies, device:text direction:text memoryKinds:text? count:whole sizeBytes:whole? totalNs:whole maxNs:whole",
        "operators, name:text count:whole totalNs:whole selfNs:whole deviceNs:whole launches:whole inputDims:text?",
        "threads, process:text thread:text onCpuNs:whole? runnableNs:whole? recordedNs:whole launches:whole",
        "launches, device:text operations:whole withoutLaunch:whole graphReplayed:whole minLatencyNs:whole?"
                + " medianLatencyNs:whole? p95LatencyNs:whole? medianQueueDelayNs:whole?",
        "hostTime, thread:text followed:flag cause:text state:text activity:text? where:text? ns:whole basis:text boundNs:whole",
        "waitedFor, cause:text thread:text where:text? ns:whole known:text",
        "requests, name:text process:text count:whole medianNs:whole p95Ns:whole maxNs:whole medianFirstNs:whole?"
                + " p95FirstNs:whole? items:whole",
        "'', steadyState:text? phases:array steps:array largestGaps:array idleOperators:array requestTime:array",
        "phases, phase:text startNs:whole endNs:whole evidence:text classes:array",
        "phases.classes, id:text ns:whole share:decimal basis:text boundNs:whole",
        "steps, name:text kind:text? source:text phase:text? count:whole medianNs:whole p95Ns:whole maxNs:whole"
                + " medianBusyNs:whole? medianIdleNs:whole? causes:array",
        "steps.causes, cause:text medianNs:whole totalNs:whole thread:text? activity:text? where:text? placeNs:whole basis:text",
        "largestGaps, startNs:whole endNs:whole phase:text cause:text thread:text? activity:text? where:text?",
        "idleOperators, name:text cause:text ns:whole",
        "requestTime, name:text process:text count:whole medianFirstNs:whole? p95FirstNs:whole? medianPerTokenNs:whole?"
                + " p95PerTokenNs:whole? durationNs:whole parts:array classes:array",
        "requestTime.parts, part:text ns:whole",
        "machine, process:text? name:text samples:whole first:decimal last:decimal least:decimal most:decimal",
        "nativeModules, process:text module:text samples:whole selfNs:whole boundNs:whole path:text? buildId:text?",
        "graphs, device:text name:text call:text replays:whole operations:whole lengthNs:whole busyNs:whole insideIdleNs:whole"
                + " gapNs:whole? launchNs:whole totalInsideIdleNs:whole totalGapNs:whole operatorsFrom:text? kernels:array",
        "graphs.kernels, name:text operator:text? perReplay:whole totalNs:whole",
        "operatorShapes, name:text inputDims:text inputTypes:text? kind:text? count:whole hostNs:whole deviceNs:whole share:decimal"
                + " flops:whole? bytes:whole? flopsPerSecond:whole? bytesPerSecond:whole? bound:text? efficiency:decimal?"
                + " remark:text? matrixUnits:text?",
        "devicePeaks, device:text model:text fp16FlopsPerSecond:whole fp32FlopsPerSecond:whole bytesPerSecond:whole source:text",
        "allocators, process:text device:text events:whole peakAllocatedBytes:whole peakNs:whole operator:text?"
                + " peakReservedBytes:whole? lastAllocatedBytes:whole capacityBytes:whole?",
        "sampledLines, place:text class:text samples:whole selfNs:whole boundNs:whole totalNs:whole",
        "sampledFunctions, place:text class:text samples:whole selfNs:whole boundNs:whole totalNs:whole",
        "criticalPath, ns:whole replayErrorNs:whole instants:whole dependencies:whole classes:array work:array lines:array longest:array tracks:array",
        "criticalPath.classes, id:text ns:whole",
        "criticalPath.work, cause:text track:text? activity:text? where:text? ns:whole pieces:whole",
        "criticalPath.lines, where:text cause:text ns:whole",
        "criticalPath.longest, startNs:whole endNs:whole cause:text track:text? activity:text? where:text?",
        "criticalPath.tracks, track:text ns:whole slackNs:whole?",
        "findings, rule:text severity:text claim:text costNs:whole share:decimal causes:array evidence:array advice:text gain:object?"
                + " noGainBecause:text?",
        "findings.gain, lowNs:whole highNs:whole assumptions:array",
        "rules, rule:text title:text outcome:text because:text?",
        "trust, check:text passed:flag withholds:flag detail:text remedy:text?",
        "coverage, source:text recorded:whole missing:whole why:text?",
        "importStats, eventsRead:whole bytesRead:whole bytesLost:whole dropped:whole repaired:whole ignored:whole reasons:array",
        "importStats.reasons, reason:text effect:text count:whole source:text? firstOffsetBytes:whole? firstDetail:text?",
        "overhead, cpuNs:whole heldUpNs:whole recorders:array",
        "overhead.recorders, recorder:text cpuNs:whole heldUpNs:whole events:whole",
    })
    void everyMemberIsThereWithItsType(String path, String members) {
        List<Map<String, Object>> objects = JsonPaths.objects(GPU, path);
        assertThat(objects).as("the fixture has an example of " + path).isNotEmpty();
        for (String member : members.split(" ", -1)) {
            String name = member.substring(0, member.indexOf(':'));
            String type = member.substring(member.indexOf(':') + 1);
            assertThat(objects).as(path + "." + name).allSatisfy(object -> {
                assertThat(object).containsKey(name);
                assertThat(JsonPaths.type(object.get(name))).isIn(types(type));
            });
        }
    }

    private static List<String> types(String type) {
        return type.endsWith("?") ? List.of(type.substring(0, type.length() - 1), "null") : List.of(type);
    }

    @Test
    void everyKindOfEvidenceSaysItsKind() {
        List<Map<String, Object>> evidence = JsonPaths.objects(GPU, "findings.evidence");
        assertThat(evidence).allSatisfy(item -> assertThat(item.keySet()).containsSubsequence("kind", "label"));
        assertThat(evidence)
                .anySatisfy(item -> assertThat(item.keySet())
                        .containsExactly("kind", "label", "startNs", "endNs", "track", "where"));
        assertThat(evidence)
                .anySatisfy(item -> assertThat(item.keySet()).containsExactly("kind", "label", "value", "unit"));
        assertThat(evidence)
                .anySatisfy(item -> assertThat(item.keySet()).containsExactly("kind", "label", "where", "ns", "count"));
        assertThat(Evidence.class.getPermittedSubclasses()).hasSize(3);
    }

    @Test
    void theFirstLedgerIsTheHeadlinesAndOneIsTheWindows() {
        List<Map<String, Object>> ledgers = JsonPaths.objects(GPU, "ledgers");
        assertThat(ledgers.get(0)).containsEntry("part", "span");
        assertThat(ledgers).anySatisfy(ledger -> assertThat(ledger).containsEntry("part", "window"));
        for (Map<String, Object> ledger : ledgers) {
            long sum = JsonPaths.objects(ledger, "classes").stream()
                    .mapToLong(entry -> ((Number) entry.get("ns")).longValue())
                    .sum();
            assertThat(sum).isEqualTo(((Number) ledger.get("durationNs")).longValue());
            assertThat(JsonPaths.objects(ledger, "classes").stream().map(entry -> entry.get("id")))
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void sharesHaveSixDecimals() {
        assertThat(Rendered.as("json", ReportFixture.gpu()))
                .contains("\"share\": 0.434336,")
                .doesNotContain("NaN", "E-");
    }

    @Test
    void timesStayThoseOfTheTraceEvenWhereTheAxisIsUnixTime() {
        Map<String, Object> report = JsonTree.object(JsonTree.of(Rendered.as("json", ReportFixture.withheld())));
        Report fixture = ReportFixture.withheld();

        assertThat(JsonTree.object(report.get("window")))
                .containsEntry("startNs", fixture.window().startNs())
                .containsEntry("endNs", fixture.window().endNs());
        assertThat(report).containsEntry("originUnixNs", Long.toString(fixture.originUnixNs()));
        assertThat(JsonTree.object(report.get("verdict")))
                .containsEntry("marginPoints", null)
                .containsEntry("bound", "withheld");
    }

    @Test
    void everyMemberIsDocumented() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "report-json.md"));
        TreeSet<String> names = new TreeSet<>();
        JsonPaths.names(GPU, names);
        names.removeAll(List.of("compute", "h2d"));
        assertThat(names).allSatisfy(name -> assertThat(page).contains("`" + name + "`"));
    }
}
