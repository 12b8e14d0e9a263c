package io.inferscope.timeline.kineto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Damage is counted and everything complete before it is used. */
class DamagedTraceTest {
    private static final String FIRST =
            "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"first\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1}";
    private static final String LAST =
            "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"last\",\"pid\":1,\"tid\":1,\"ts\":90,\"dur\":1}";

    @TempDir
    private Path folder;

    private Timeline load(String json) throws ImportException {
        return load(json.getBytes(StandardCharsets.UTF_8));
    }

    private Timeline load(byte[] content) throws ImportException {
        return CoreFormats.load(TraceFile.of(folder, "trace.json", content));
    }

    private Timeline between(String event) throws ImportException {
        return load("{\"traceEvents\":[" + FIRST + ',' + event + ',' + LAST + "]}");
    }

    private static List<String> names(Timeline timeline) {
        return IntStream.range(0, timeline.rowCount()).mapToObj(timeline::name).toList();
    }

    private static String counted(Timeline timeline) {
        return timeline.importStats().entries().stream()
                .map(e -> e.count() + " " + e.reason())
                .reduce((a, b) -> a + ", " + b)
                .orElse("");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'ph':'X','cat':'cpu_op','name':'n','ts':5}                               | 1 MISSING_DURATION",
                "{'ph':'X','cat':'cpu_op','name':'n','ts':5,'dur':-1}                      | 1 NEGATIVE_RANGE",
                "{'ph':'X','cat':'kernel','name':'n','ts':5,'dur':-1}                      | 1 NEGATIVE_DURATION",
                "{'ph':'X','cat':'kernel','name':'n','ts':0,'dur':0}                       | 1 NOT_TIMED",
                "{'ph':'X','cat':'cpu_op','name':'n','ts':5,'dur':-0.0004}                 | ``",
                "{'ph':'X','cat':'cpu_op','name':'n','ts':5,'dur':null}                    | 1 BAD_TIMESTAMP",
                "{'ph':'X','cat':'cpu_op','name':'n','ts':5,'dur':NaN}                     | 1 BAD_TIMESTAMP",
                "{'ph':'X','cat':'cpu_op','name':'n','ts':NaN,'dur':1}                     | 1 BAD_TIMESTAMP",
                "{'ph':'X','cat':'cpu_op','name':'n','ts':Infinity,'dur':1}                | 1 BAD_TIMESTAMP",
                "{'ph':'X','cat':'cpu_op','name':'n','ts':-Infinity,'dur':1}               | 1 BAD_TIMESTAMP",
                "{'ph':'X','cat':'cpu_op','name':'n','ts':'soon','dur':1}                  | 1 BAD_TIMESTAMP",
                "{'ph':'X','cat':'cpu_op','name':'n','ts':{'a':1},'dur':1}                 | 1 BAD_TIMESTAMP",
                "{'ph':'X','cat':'cpu_op','name':'n','ts':true,'dur':1}                    | 1 BAD_TIMESTAMP",
                "{'ph':'X','cat':'cpu_op','name':'n','dur':1}                              | 1 BAD_TIMESTAMP",
                "{'ph':'X','cat':'cpu_op','name':'n','ts':1e300,'dur':1}                   | 1 BAD_TIMESTAMP",
                "{'ph':'X','cat':'cpu_op','name':'n','ts':5,'dur':9e15}                    | 1 BAD_TIMESTAMP",
                "{'ph':'X','cat':'cpu_op','name':'n','ts':9e15,'dur':1}                    | 1 BAD_TIMESTAMP",
                "{'ph':'X','cat':'cpu_op','name':'n','ts':-9e15,'dur':1}                   | 1 BAD_TIMESTAMP",
                "{'ph':'B','cat':'cpu_op','name':'n'}                                      | 1 BAD_TIMESTAMP",
                "{'ph':'C','name':'n','ts':5,'args':{'value':'high'}}                      | 1 BAD_TIMESTAMP",
                "{'ph':'?','name':'n','ts':5}                                              | 1 UNKNOWN_PHASE",
                "{'name':'n','ts':5}                                                       | 1 UNKNOWN_PHASE",
                "{}                                                                        | 1 UNKNOWN_PHASE",
                "{'ph':'X','ph':'X','cat':'cpu_op','name':'m','name':'n','ts':5,'dur':1}   | 2 DUPLICATE_KEY",
                "17                                                                        | 1 NOT_AN_EVENT",
                "'text'                                                                    | 1 NOT_AN_EVENT",
                "null                                                                      | 1 NOT_AN_EVENT",
                "[{'ph':'X'},[1,2]]                                                        | 1 NOT_AN_EVENT",
                "{'ph':'E','name':'n','ts':5}                                              | 1 UNMATCHED_END",
            })
    void aBadEventIsCountedAndNeverFatal(String event, String expected) throws ImportException {
        Timeline timeline = between(event.replace('\'', '"'));

        assertThat(counted(timeline)).isEqualTo(expected);
        assertThat(names(timeline)).contains("first", "last");
        assertThat(timeline.importStats().eventsRead()).isEqualTo(3);
        ImportStats.Entry entry = timeline.importStats().entries().isEmpty()
                ? null
                : timeline.importStats().entries().get(0);
        if (entry != null) {
            assertThat(entry.firstOffsetBytes()).isBetween(16L + FIRST.length(), 18L + FIRST.length() + event.length());
            assertThat(entry.source()).isEqualTo("trace.json");
        }
    }

    @Test
    void ofAMemberNamedTwiceTheLastCounts() throws ImportException {
        Timeline timeline =
                between("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"m\",\"ts\":3,\"ts\":5,\"dur\":1,\"name\":\"n\"}");

        assertThat(names(timeline)).containsExactlyInAnyOrder("first", "n", "last");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"traceEvents\":[@FIRST@,{\"ph\":\"X\",\"name\":\"cut in the mid",
                "{\"traceEvents\":[@FIRST@,{\"ph\":\"X\",\"name\":\"cut\\u00",
                "{\"traceEvents\":[@FIRST@,{\"ph\":\"X\",\"ts\":12",
                "{\"traceEvents\":[@FIRST@,{\"ph\":\"X\",\"ts\":",
                "{\"traceEvents\":[@FIRST@,{\"ph\":\"X\",",
                "{\"traceEvents\":[@FIRST@,{\"ph\":\"X\",\"args\":{\"Input Dims\":[[1,",
                "{\"traceEvents\":[@FIRST@,{",
                "{\"traceEvents\":[@FIRST@,",
                "{\"traceEvents\":[@FIRST@",
                "{\"traceEvents\":[@FIRST@]",
                "{\"traceEvents\":[@FIRST@],\"deviceProperties\":[{\"id\":",
                "[@FIRST@",
                "[@FIRST@,",
            })
    void aTruncatedDocumentYieldsWhatWasComplete(String json) throws ImportException {
        String content = json.replace("@FIRST@", FIRST);
        Timeline timeline = load(content);

        assertThat(names(timeline)).containsExactly("first");
        assertThat(counted(timeline)).isEqualTo("1 TRUNCATED");
        assertThat(timeline.importStats().entries().get(0).firstOffsetBytes())
                .isEqualTo(content.getBytes(StandardCharsets.UTF_8).length);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"traceEvents\":[@FIRST@,{\"ph\":\"X\" \"name\":\"no comma\"}]}",
                "{\"traceEvents\":[@FIRST@,{\"ph\":\"X\",,}]}",
                "{\"traceEvents\":[@FIRST@,{ph:\"X\"}]}",
                "{\"traceEvents\":[@FIRST@,nul]}",
                "{\"traceEvents\":[@FIRST@,{\"name\":\"\\uq\"}]}",
                "{\"traceEvents\":[@FIRST@}",
                "{\"traceEvents\":[@FIRST@,01]}",
            })
    void aMalformedDocumentYieldsWhatCameBeforeTheDamage(String json) throws ImportException {
        Timeline timeline = load(json.replace("@FIRST@", FIRST));

        assertThat(names(timeline)).containsExactly("first");
        assertThat(counted(timeline)).isEqualTo("1 MALFORMED");
        assertThat(timeline.importStats().entries().get(0).firstOffsetBytes()).isGreaterThanOrEqualTo(FIRST.length());
    }

    @Test
    void aTrailingCommaIsHarmless() throws ImportException {
        assertThat(counted(load("{\"traceEvents\":[" + FIRST + ",],}"))).isEmpty();
        assertThat(counted(load("[" + FIRST + ",\n]"))).isEmpty();
    }

    @Test
    void trailingDataIsCounted() throws ImportException {
        assertThat(counted(load("[" + FIRST + "] {\"more\": 1}"))).isEqualTo("1 TRAILING_DATA");
        assertThat(counted(load("{\"traceEvents\":[" + FIRST + "]}\n<html>"))).isEqualTo("1 TRAILING_DATA");
        assertThat(counted(load("[" + FIRST + "]\n\n"))).isEmpty();
    }

    @Test
    void wrongUtf8IsReplacedAndTheRestIsRead() throws ImportException {
        byte[] content = ("[" + FIRST.replace("first", "caf?") + "," + LAST + "]").getBytes(StandardCharsets.UTF_8);
        int at = new String(content, StandardCharsets.ISO_8859_1).indexOf('?');
        content[at] = (byte) 0xe9;

        Timeline timeline = load(content);

        assertThat(names(timeline)).containsExactly("caf\uFFFD", "last");
        assertThat(counted(timeline)).isEqualTo("1 BAD_TEXT");
        assertThat(timeline.importStats().eventsRead()).isEqualTo(2);
    }

    @Test
    void aLoneSurrogateDoesNotStopTheImport() throws ImportException {
        Timeline timeline = between("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"\\ud83d\",\"ts\":5,\"dur\":1}");

        assertThat(names(timeline)).contains("first", "last").hasSize(3);
    }

    @Test
    void controlCharactersInTextDoNotStopTheImport() throws ImportException {
        Timeline timeline = between("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\tb\nc\u0001\",\"ts\":5,\"dur\":1}");

        assertThat(names(timeline)).contains("a\tb\nc\u0001", "first", "last");
    }

    @Test
    void aTruncatedGzipYieldsWhatCouldBeInflated() throws ImportException {
        StringBuilder json = new StringBuilder("[" + FIRST);
        for (int i = 0; i < 5_000; i++) {
            json.append(",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op")
                    .append(i * 7919L % 10_007)
                    .append("\",\"pid\":1,\"tid\":1,\"ts\":")
                    .append(i + 1)
                    .append(",\"dur\":0.5}");
        }
        byte[] zipped = TraceFile.gzip(json.append(']').toString().getBytes(StandardCharsets.UTF_8));

        Timeline half = load(Arrays.copyOf(zipped, zipped.length / 2));
        Timeline withoutTrailer = load(Arrays.copyOf(zipped, zipped.length - 4));

        assertThat(half.rowCount()).isBetween(1000, 4000);
        assertThat(names(half)).startsWith("first");
        assertThat(counted(half)).isEqualTo("1 TRUNCATED");
        assertThat(withoutTrailer.rowCount()).isEqualTo(5_001);
        assertThat(counted(withoutTrailer)).isEqualTo("1 TRUNCATED");
    }

    @Test
    void aGzipWithAWrongChecksumYieldsEverythingAndSaysSo() throws ImportException {
        byte[] zipped = TraceFile.gzip(("[" + FIRST + "]").getBytes(StandardCharsets.UTF_8));
        zipped[zipped.length - 6] ^= 1;

        Timeline timeline = load(zipped);

        assertThat(names(timeline)).containsExactly("first");
        assertThat(counted(timeline)).isEqualTo("1 MALFORMED");
    }

    @Test
    void deepNestingIsRefusedInOneClearLine() {
        String deep = "{\"traceEvents\":[" + FIRST + ",{\"args\":{\"x\":" + "[".repeat(100_000) + "}}]}";

        assertThatThrownBy(() -> load(deep))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("trace.json: refused at byte ")
                .hasMessageContaining("nesting deeper than 200")
                .hasMessageNotContaining("\n");
        assertThatThrownBy(() -> load("{\"a\":".repeat(5_000)))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("nesting deeper than 200");
    }

    @Test
    void aNumberOfThousandsOfDigitsIsOneBadEvent() throws ImportException {
        String digits = "9".repeat(20_000);

        assertThat(counted(between("{\"ph\":\"X\",\"name\":\"n\",\"ts\":" + digits + ",\"dur\":1}")))
                .isEqualTo("1 BAD_TIMESTAMP");
        assertThat(counted(between("{\"ph\":\"X\",\"name\":\"n\",\"ts\":5,\"dur\":0." + digits + "}")))
                .isEqualTo("1 BAD_TIMESTAMP");
        assertThat(counted(between(
                        "{\"ph\":\"X\",\"name\":\"n\",\"ts\":5,\"dur\":1,\"args\":{\"correlation\":" + digits + "}}")))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"traceEvents\":[]}",
                "{\"traceEvents\":null}",
                "{\"schemaVersion\":1}",
                "[]",
                "{}",
                "{",
                "[",
                "[1,2,3]",
                "{\"traceEvents\":{\"a\":[1]}}",
                "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"n\",\"ts\":5}]}"
            })
    void aDocumentWithoutAnyUsableEventIsRefusedInOneClearLine(String json) {
        assertThatThrownBy(() -> load(json))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("trace.json: no usable event in it (")
                .hasMessageEndingWith(
                        "expected Chrome Trace Event JSON as torch.profiler's export_chrome_trace writes it")
                .hasMessageNotContaining("\n");
    }

    /** They have members as a trace has, and none of them holds times of work. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"schema\": \"1.1.1-chakra.0.0.4\", \"pid\": 7, \"nodes\": [{\"id\": 2}]} | an execution trace of PyTorch",
                "[[1795754523659530, 1795754523659531], [[0, 1], [2, 3]]] | lists of numbers without events",
                "[[-1, 1, 524288, 0], [5, 1, 2048, 0]] | lists of numbers without events",
                "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\"}}],\"samples\":[1]} | a CPU profile of V8",
                "{\"startTime\":5,\"nodes\":[{\"id\":1,\"callFrame\":{\"url\":\"\"}}]} | a CPU profile of V8",
                "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\"]}}} | a heap snapshot of V8",
                "{\"meta\":{\"interval\":1,\"x\":[]},\"libs\":[],\"threads\":[]} | a profile in the format of the Firefox Profiler",
                "{\"resourceSpans\":[{\"scopeSpans\":[]}]} | a file of OpenTelemetry",
                "{\"data\":[{\"traceID\":\"ab\",\"spans\":[]}]} | a list of spans of Jaeger or Zipkin",
                "[{\"traceId\":\"ab\",\"name\":\"get\",\"timestamp\":5}] | a list of spans of Jaeger or Zipkin",
                "{\"log\":{\"version\":\"1.2\",\"entries\":[]}} | an HTTP archive",
                "{\"linux-perf-json-version\": 1, \"samples\": []} | a recording of perf; fold its stacks: perf script",
            })
    void aDocumentThatIsNoTraceIsNamed(String json, String what) {
        assertThatThrownBy(() -> load(json))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("trace.json: is " + what)
                .hasMessageContaining("; ")
                .hasMessageNotContaining("\n");
    }

    @Test
    void aFileOfNamesAloneIsNotCalledEmpty() {
        assertThatThrownBy(
                        () -> load(
                                "{\"traceEvents\":[{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"p\"}}]}"))
                .hasMessageContaining("no usable event in it (it holds no event with a time)");
    }

    @Test
    void aReportTakenForTheRecordingBesideItIsCalledWhatItIs() {
        assertThatThrownBy(() -> load("{\n  \"schema\": \"inferscope-report/1\",\n  \"title\": \"serve.py\"\n}"))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("trace.json: is a result of InferScope (inferscope-report/1), not a recording; ")
                .hasMessageEndingWith("name the recording that it was made from; `inferscope diff` compares reports");
    }

    @Test
    void countsNameTheirReasonAndTheFirstPlace() throws ImportException {
        String bad = "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"lost\",\"ts\":5}";
        Timeline timeline = load("[" + FIRST + ",\n" + bad + ",\n" + bad.replace("lost", "again") + "]");

        ImportStats.Entry entry = timeline.importStats().entries().get(0);
        assertThat(entry.reason()).isEqualTo(Reason.MISSING_DURATION);
        assertThat(entry.count()).isEqualTo(2);
        assertThat(entry.firstDetail()).isEqualTo("lost");
        assertThat(entry.firstOffsetBytes()).isEqualTo(FIRST.length() + 3L);
        assertThat(timeline.importStats().count(ImportStats.Effect.DROPPED)).isEqualTo(2);
        assertThat(timeline.importStats().count(ImportStats.Effect.REPAIRED)).isZero();
    }
}
