package io.inferscope.shapes;

import static io.inferscope.shapes.ShapeLogFixture.collect;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.ShapeTensor;
import io.inferscope.shapes.ShapeLogFixture.Said;
import io.inferscope.shapes.ShapeReport.OperatorFigures;
import io.inferscope.shapes.ShapeReport.PhaseFigures;
import io.inferscope.shapes.ShapeReport.SignatureFigures;
import io.inferscope.shapes.ShapeReport.TensorFigures;
import io.inferscope.shapes.log.ShapeBody.Call;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShapeAnalysisTest {
    private static final ShapeSections ENDLESS = new ShapeSections(true, true, true, 9_999, 9_999);

    @TempDir
    private Path folder;

    /** The same figures counted from the calls themselves, the plain way. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void countsWhatAPlainCountCounts(long seed) throws Exception {
        List<Said> rows = ShapeLogFixture.random(seed, 900);
        ShapeReport report =
                ShapeAnalysis.of(collect(ShapeLogFixture.write(folder.resolve("a.jsonl"), rows)), "a.jsonl", ENDLESS);
        List<Said> calls = rows.stream().filter(row -> row.marker().isEmpty()).toList();

        assertThat(report.totals().calls()).isEqualTo(calls.size());
        assertThat(report.totals().errors())
                .isEqualTo(calls.stream().filter(row -> row.call().isError()).count());
        assertThat(report.totals().elements()).isEqualTo(elements(calls));
        assertThat(countsOf(report.operators()))
                .isEqualTo(count(calls, row -> row.call().operation()));
        assertThat(report.shapes().stream().collect(Collectors.toMap(SignatureFigures::call, SignatureFigures::calls)))
                .isEqualTo(count(calls, Said::call));
        assertThat(report.logs().get(0).markers())
                .isEqualTo(count(
                        rows.stream().filter(row -> !row.marker().isEmpty()).toList(), Said::marker));
        checkFirstCalls(report, calls);
        checkDiversity(report, calls);
        checkLargest(report, calls);
        checkPhases(report, calls);
        checkPasses(report, calls);
    }

    private static <K> Map<K, Long> count(List<Said> calls, java.util.function.Function<Said, K> key) {
        Map<K, Long> counts = new HashMap<>();
        calls.forEach(call -> counts.merge(key.apply(call), 1L, Long::sum));
        return counts;
    }

    private static Map<String, Long> countsOf(List<OperatorFigures> operators) {
        return operators.stream()
                .collect(Collectors.toMap(OperatorFigures::name, o -> o.totals().calls()));
    }

    private static long elements(List<Said> calls) {
        long sum = 0;
        for (Said said : calls) {
            for (ShapeTensor tensor : said.call().outputs()) {
                long product = 1;
                for (long size : tensor.dims()) {
                    product *= size;
                }
                sum += product;
            }
        }
        return sum;
    }

    private static void checkFirstCalls(ShapeReport report, List<Said> calls) {
        for (SignatureFigures signature : report.shapes()) {
            long first = calls.stream()
                    .filter(said -> said.call().equals(signature.call()))
                    .mapToLong(Said::callId)
                    .min()
                    .orElseThrow();
            assertThat(signature.firstCall()).isEqualTo(first);
        }
    }

    private static void checkDiversity(ShapeReport report, List<Said> calls) {
        Map<String, Set<Call>> shapes = new HashMap<>();
        calls.forEach(said -> shapes.computeIfAbsent(said.call().operation(), name -> new HashSet<>())
                .add(said.call()));
        assertThat(report.diversity())
                .hasSize(shapes.size())
                .allSatisfy(operator -> assertThat(operator.totals().shapes())
                        .isEqualTo(
                                shapes.getOrDefault(operator.name(), Set.of()).size()));
        assertThat(report.diversity())
                .extracting(operator -> operator.totals().shapes())
                .isSortedAccordingTo(java.util.Comparator.reverseOrder());
        assertThat(report.totals().shapes())
                .isEqualTo(shapes.values().stream().mapToInt(Set::size).sum());
    }

    private static void checkLargest(ShapeReport report, List<Said> calls) {
        Map<List<Object>, Long> tensors = new HashMap<>();
        for (Said said : calls) {
            Call call = said.call();
            new HashSet<>(call.inputs())
                    .forEach(tensor -> tensors.merge(List.of(call.operation(), false, tensor), 1L, Long::sum));
            call.outputs().forEach(tensor -> tensors.merge(List.of(call.operation(), true, tensor), 1L, Long::sum));
        }
        tensors.keySet().removeIf(key -> ((ShapeTensor) key.get(2)).elements() == 0);
        Map<List<Object>, Long> reported = report.largest().stream()
                .collect(Collectors.toMap(t -> List.of(t.operation(), t.output(), t.tensor()), TensorFigures::calls));
        assertThat(reported).isEqualTo(tensors);
        assertThat(report.largest())
                .extracting(tensor -> tensor.tensor().elements())
                .isSortedAccordingTo(java.util.Comparator.reverseOrder());
    }

    private static void checkPhases(ShapeReport report, List<Said> calls) {
        assertThat(report.phases().stream()
                        .filter(phase -> phase.totals().calls() > 0)
                        .collect(Collectors.toMap(
                                PhaseFigures::name, phase -> phase.totals().calls())))
                .isEqualTo(count(calls, Said::phase));
    }

    private static void checkPasses(ShapeReport report, List<Said> calls) {
        Map<Long, Long> passes = new TreeMap<>(count(calls, Said::pass));
        assertThat(report.passes()).extracting(pass -> pass.number()).containsExactlyElementsOf(passes.keySet());
        assertThat(report.passes())
                .extracting(pass -> pass.totals().calls())
                .containsExactlyElementsOf(passes.values());
    }

    @Test
    void listsAreCutToTheirFirst() throws Exception {
        Path log = ShapeLogFixture.write(folder.resolve("a.jsonl"), ShapeLogFixture.random(7, 500));
        ShapeReport whole = ShapeAnalysis.of(collect(log), "", ENDLESS);
        ShapeReport cut = ShapeAnalysis.of(collect(log), "", new ShapeSections(true, true, true, 2, 3));

        assertThat(cut.operators()).isEqualTo(whole.operators().subList(0, 2));
        assertThat(cut.largest()).isEqualTo(whole.largest().subList(0, 2));
        assertThat(cut.diversity()).isEqualTo(whole.diversity().subList(0, 2));
        assertThat(cut.shapes()).hasSize(6).isSubsetOf(whole.shapes());
        assertThat(cut.totals()).isEqualTo(whole.totals());
    }

    @Test
    void filtersByNameAndByElements() throws Exception {
        List<Said> rows = ShapeLogFixture.random(8, 500);
        Path log = ShapeLogFixture.write(folder.resolve("a.jsonl"), rows);
        ShapeReport report = ShapeAnalysis.of(
                collect(new ShapeCollection(new ShapeFilter("ATEN.", 50), false, Long.MAX_VALUE), log), "", ENDLESS);

        List<Said> wanted = rows.stream()
                .filter(row -> row.marker().isEmpty() && row.call().operation().startsWith("aten."))
                .filter(row -> elements(List.of(row)) >= 50)
                .toList();
        assertThat(report.totals().calls()).isEqualTo(wanted.size()).isPositive();
        assertThat(report.logs().get(0).leftOut())
                .isEqualTo(rows.stream().filter(row -> row.marker().isEmpty()).count() - wanted.size());
    }

    @Test
    void aQuickCountCountsNoMarkers() throws Exception {
        List<Said> rows = ShapeLogFixture.random(9, 400);
        ShapeReport report = ShapeAnalysis.of(
                collect(
                        new ShapeCollection(ShapeFilter.ALL, true, Long.MAX_VALUE),
                        ShapeLogFixture.write(folder.resolve("a.jsonl"), rows)),
                "",
                ENDLESS);

        assertThat(report.totals().calls()).isEqualTo(400);
        assertThat(report.totals().operators()).isEqualTo(5);
        assertThat(report.operators()).extracting(OperatorFigures::name).doesNotContain("PREFILL_START");
        assertThat(report.shapes()).isEmpty();
        assertThat(report.largest()).isEmpty();
    }

    @Test
    void onlyTheFirstCallsAreReadWhereThatIsAsked() throws Exception {
        Path log = ShapeLogFixture.write(folder.resolve("a.jsonl"), ShapeLogFixture.random(10, 400));
        ShapeReport report =
                ShapeAnalysis.of(collect(new ShapeCollection(ShapeFilter.ALL, false, 100), log), "", ENDLESS);

        assertThat(report.totals().calls()).isEqualTo(100);
        assertThat(report.cautions()).singleElement().asString().contains("only its first 100 calls");
    }

    @Test
    void signaturesWithoutRoomAreCountedByOperatorAndSaid() throws Exception {
        List<Said> rows = ShapeLogFixture.random(11, 600);
        Path log = ShapeLogFixture.write(folder.resolve("a.jsonl"), rows);
        ShapeReport whole = ShapeAnalysis.of(collect(log), "", ENDLESS);
        ShapeReport tight = ShapeAnalysis.of(
                collect(new ShapeCollection(ShapeFilter.ALL, false, Long.MAX_VALUE, 40), log), "", ENDLESS);

        assertThat(countsOf(tight.operators())).isEqualTo(countsOf(whole.operators()));
        assertThat(tight.totals().errors()).isEqualTo(whole.totals().errors());
        assertThat(tight.totals().shapes()).isEqualTo(40);
        assertThat(tight.cautions()).singleElement().asString().contains("more than 40 different signatures");
    }

    @Test
    void ranksAreCompared() throws Exception {
        List<Said> rows = ShapeLogFixture.random(12, 300);
        List<Said> other = rows.stream()
                .filter(row -> row.callId() != 17 || !row.marker().isEmpty())
                .toList();
        Path a = ShapeLogFixture.write(folder.resolve("rank0.jsonl"), rows);
        Path b = ShapeLogFixture.write(folder.resolve("rank1.jsonl"), rows);
        Path c = ShapeLogFixture.write(folder.resolve("rank2.jsonl"), other);

        assertThat(ShapeAnalysis.of(collect(a, b), "", ENDLESS).differences()).isEmpty();
        Call lost = rows.stream()
                .filter(row -> row.callId() == 17 && row.marker().isEmpty())
                .findFirst()
                .orElseThrow()
                .call();
        assertThat(ShapeAnalysis.of(collect(a, b, c), "", ENDLESS).differences())
                .singleElement()
                .satisfies(difference -> {
                    assertThat(difference.operation()).isEqualTo(lost.operation());
                    assertThat(difference.example()).isEqualTo(lost);
                    assertThat(difference.calls().get(2))
                            .isEqualTo(difference.calls().get(0) - 1);
                    assertThat(difference.calls().get(1))
                            .isEqualTo(difference.calls().get(0));
                });
    }

    @Test
    void aSummaryIsHeldAgainstItsLog() throws Exception {
        Path log = Files.writeString(folder.resolve("a.jsonl"), """
                {"call_id": 1, "forward_pass": 1, "operation": "aten.mm.default", "inputs": null, "outputs": null}
                {"call_id": 2, "forward_pass": 1, "operation": "aten.mm.default", "inputs": null, "outputs": null}
                """);
        assertThat(summary(log, "")).isEmpty();
        assertThat(summary(log, """
                {"rank": 2, "total_operations": 2, "forward_passes": 1, "unique_operations": 1,
                 "operation_counts": {"aten.mm.default": 2}, "dedupe_enabled": false, "dedupe_skipped_count": 0}""")).isEqualTo("agrees");
        assertThat(summary(log, """
                {"total_operations": 7, "unique_operations": 1, "dedupe_enabled": true, "dedupe_skipped_count": 5}""")).isEqualTo("agrees");
        assertThat(summary(log, """
                {"total_operations": 3, "unique_operations": 2, "operation_counts": {"aten.mm.default": 2, "aten.add.Tensor": 1}}"""))
                .isEqualTo("it counts 3 operators, the log has 2; it counts 2 by name, the log has 1;"
                        + " aten.add.Tensor: it counts 1, the log has 0");
        assertThat(summary(log, "{")).startsWith("unusable: not valid JSON");
    }

    /** A recording that leaves out warm-up passes numbers those it has from where they were. */
    @Test
    void aSummaryCountsThePassesThatWereRecorded() throws Exception {
        Path log = Files.writeString(folder.resolve("a.jsonl"), """
                {"call_id": 1, "forward_pass": 0, "operation": "aten.mm.default", "inputs": null, "outputs": null}
                {"call_id": 2, "forward_pass": 7, "operation": "aten.mm.default", "inputs": null, "outputs": null}
                {"call_id": 3, "forward_pass": 8, "operation": "aten.mm.default", "inputs": null, "outputs": null}
                """);
        assertThat(summary(log, """
                {"total_operations": 3, "forward_passes": 2}""")).isEqualTo("agrees");
        assertThat(summary(log, """
                {"total_operations": 3, "forward_passes": 1}""")).isEqualTo("it counts 1 passes, the log has 2");
    }

    private String summary(Path log, String summary) throws Exception {
        Path file = folder.resolve("a_summary.json");
        Files.deleteIfExists(file);
        if (!summary.isEmpty()) {
            Files.writeString(file, summary);
        }
        return ShapeAnalysis.of(collect(log), "", ENDLESS).logs().get(0).summary();
    }

    @Test
    void aRowThatStandsForSeveralCallsCountsThem() throws Exception {
        Path log = Files.writeString(folder.resolve("a.jsonl"), """
                {"call_id": 1, "forward_pass": 1, "operation": "aten.mm.default", "inputs": {"a": {"shape": [2, 3], "dtype": "torch.half"}, "b": {"shape": [3, 4], "dtype": "torch.half"}}, "outputs": {"shape": [2, 4], "dtype": "torch.half"}, "count": 50}
                {"call_id": 2, "forward_pass": 1, "operation": "aten.mm.default", "inputs": {"a": {"shape": [1, 3], "dtype": "torch.half"}, "b": {"shape": [3, 4], "dtype": "torch.half"}}, "outputs": {"shape": [1, 4], "dtype": "torch.half"}, "count": 1}
                {"marker": "GRAPH_REPLAY", "graph": 1, "forward_pass": 2}
                """);
        Files.writeString(folder.resolve("a_summary.json"), """
                {"rank": 0, "total_operations": 2, "forward_passes": 1, "unique_operations": 1, "operation_counts": {"aten.mm.default": 2},
                 "dedupe_enabled": true, "dedupe_skipped_count": 49, "unique_op_signatures": 2}
                """);
        ShapeReport report = ShapeAnalysis.of(collect(log), "", ENDLESS);

        assertThat(report.totals().calls()).isEqualTo(51);
        assertThat(report.totals().elements()).isEqualTo(50 * 8 + 4);
        assertThat(report.totals().flops()).isEqualTo(50 * 48 + 24);
        assertThat(report.shapes()).extracting(SignatureFigures::calls).containsExactly(50L, 1L);
        assertThat(report.logs().get(0).rows()).isEqualTo(2);
        assertThat(report.logs().get(0).summary()).isEqualTo("agrees");
        assertThat(report.phases()).isEmpty();
        assertThat(report.cautions())
                .hasSize(2)
                .anyMatch(caution -> caution.contains("1 replays of CUDA graphs"))
                .anyMatch(caution -> caution.contains("at the first call"));
    }

    @Test
    void aLogWithoutOperatorsIsWarnedOf() throws IOException, io.inferscope.timeline.importer.ImportException {
        Path log = Files.writeString(folder.resolve("a.jsonl"), "");

        assertThat(ShapeAnalysis.of(collect(log), "", ENDLESS).cautions())
                .singleElement()
                .asString()
                .contains("0 operators", "worker processes");
    }
}
