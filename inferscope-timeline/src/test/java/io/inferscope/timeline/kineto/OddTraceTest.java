package io.inferscope.timeline.kineto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.Losses;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Documents that are whole, but written in ways that no profiler writes, or only some do. */
class OddTraceTest {
    private static final String FIRST =
            "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"first\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1}";
    private static final String LAST = FIRST.replace("first", "last").replace("\"ts\":0", "\"ts\":90");

    @TempDir
    private Path folder;

    private Timeline load(String json) throws ImportException {
        return load(json.getBytes(StandardCharsets.UTF_8));
    }

    /** Plain and gzip must say the same. */
    private Timeline load(byte[] content) throws ImportException {
        Timeline zipped = CoreFormats.load(TraceFile.of(folder, "trace.json", TraceFile.gzip(content)));
        Timeline plain = CoreFormats.load(TraceFile.of(folder, "trace.json", content));
        assertThat(names(zipped)).isEqualTo(names(plain));
        assertThat(Losses.withPlaces(zipped)).isEqualTo(Losses.withPlaces(plain));
        return plain;
    }

    private static List<String> names(Timeline timeline) {
        return IntStream.range(0, timeline.rowCount()).mapToObj(timeline::name).toList();
    }

    private static String op(String members) {
        return "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"odd\",\"pid\":1,\"tid\":1," + members + "}";
    }

    private Timeline between(String event) throws ImportException {
        return load("[" + FIRST + "," + event + "," + LAST + "]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"traceEvents\":[@],\"displayTimeUnit\":\"ns\",\"schemaVersion\":1}",
                "{\"displayTimeUnit\":\"ms\",\"schemaVersion\":1,\"traceEvents\":[@]}",
                "\ufeff{\"traceEvents\":[@]}",
                "\ufeff[@]",
                "\r\n\t{\r\n\t\"traceEvents\"\t:\r\n[\r\n@\r\n\t]\r\n}\r\n",
                "[@]",
                "{\"traceEvents\":[],\"traceEvents\":[@]}",
                "{\"traceEvents\":[@],\"traceEvents\":[]}",
                "{\"traceEvents\":null,\"traceEvents\":[@]}",
                "{\"traceEvents\":[@,],}",
            })
    void theShapeOfTheDocumentDoesNotMatter(String document) throws ImportException {
        Timeline timeline = load(document.replace("@", FIRST + "," + LAST));

        assertThat(names(timeline)).containsExactly("first", "last");
        assertThat(timeline.startNs(1)).isEqualTo(90_000);
        assertThat(Losses.of(timeline)).isEmpty();
    }

    @Test
    void bothOfTwoEventListsAreRead() throws ImportException {
        Timeline timeline =
                load("{\"traceEvents\":[" + FIRST + "],\"x\":{\"traceEvents\":[1]},\"traceEvents\":[" + LAST + "]}");

        assertThat(names(timeline)).containsExactly("first", "last");
        assertThat(Losses.of(timeline)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"[@", "[@,", "[@,\n", "[\n@\n", "[\r\n@,\r\n"})
    void aListThatChromeLeftOpenIsReadToItsEnd(String document) throws ImportException {
        Timeline timeline = load(document.replace("@", FIRST + ",\n" + LAST));

        assertThat(names(timeline)).containsExactly("first", "last");
        assertThat(Losses.of(timeline)).isEqualTo(document.endsWith("\n") ? "" : "1 TRUNCATED");
    }

    @ParameterizedTest
    @CsvSource({"1000, 2000, 1000000", "1000, 300, 100000", "1001, 0, ''", "20, 0, 20000"})
    void stampsOfACoarseStepAreKnown(long stepUs, long durUs, String stepNs) throws ImportException {
        String events = IntStream.range(0, 120)
                .mapToObj(i -> "{\"ph\":\"X\",\"name\":\"a\",\"ts\":" + (7 + (i == 3 ? 1_000 : stepUs) * i)
                        + ",\"dur\":" + durUs + "}")
                .collect(Collectors.joining(","));

        assertThat(load("[" + events + "]").properties().getOrDefault(TimelineInfo.STAMP_STEP, ""))
                .isEqualTo(stepNs);
    }

    @Test
    void documentsOfEventsAloneOneALineAreOneList() throws ImportException {
        String line = "{\"displayTimeUnit\":\"us\",\"traceEvents\":[";

        assertThat(names(load(line + FIRST + "]}\n" + line + LAST + "]}\n"))).containsExactly("first", "last");
        assertThat(Losses.of(load(line + FIRST + "]}\n{\"baseTimeNanoseconds\":1,\"traceEvents\":[" + LAST + "]}")))
                .startsWith("1 TRAILING_DATA");
    }

    @ParameterizedTest
    @CsvSource({
        "9007199254740993, 9007199254740993",
        "-9007199254740993, -9007199254740993",
        "9223372036854775807, 9223372036854775807",
        "18446744073709551615, -1",
        "'\"9007199254740993\"', 9007199254740993",
    })
    void idsBeyondADoubleStayExact(String written, long correlation) throws ImportException {
        Timeline timeline = between(op("\"ts\":5,\"dur\":1,\"args\":{\"correlation\":" + written + "}"));

        assertThat(timeline.correlation(1)).isEqualTo(correlation);
        assertThat(Losses.of(timeline)).isEmpty();
    }

    @Test
    void stampsAndSizesBeyondADoubleStayExact() throws ImportException {
        String copy = "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD\",\"pid\":0,\"tid\":7,"
                + "\"ts\":1753900123456789.123,\"dur\":0.001,\"args\":{\"device\":0,\"stream\":7,\"bytes\":9007199254740993}}";
        Timeline timeline = load("[" + copy + "]");

        assertThat(timeline.startNs(0)).isEqualTo(1753900123456789123L);
        assertThat(timeline.durationNs(0)).isEqualTo(1);
        assertThat(timeline.attribute(0, Attribute.SIZE_BYTES)).isEqualTo(9007199254740993L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e999999999", "-1e999999999", "1e-999999999999", "0.5e10000000000000000000", "1e22"})
    void hugeExponentsCostNoTime(String number) throws ImportException {
        Timeline timeline = between(op("\"ts\":" + number + ",\"dur\":1,\"args\":{\"correlation\":" + number + "}"));

        assertThat(names(timeline)).contains("first", "last");
        assertThat(timeline.rowCount() + timeline.importStats().entries().size())
                .isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"name", "key", "argument"})
    void bytesThatAreNoUtf8CostTheLetterOnly(String where) throws ImportException {
        for (String bad : List.of("\u00e9", "\u00ed\u00a0\u0080", "\u00c0\u0080", "\u00ff", "\u00f0\u009f")) {
            String event = "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":1,"
                    + switch (where) {
                        case "name" -> "\"name\":\"odd" + bad + "\"}";
                        case "key" -> "\"name\":\"odd\",\"" + bad + "\":1}";
                        default -> "\"name\":\"odd\",\"args\":{\"unread\":\"" + bad + "\"}}";
                    };
            Timeline timeline =
                    load(("[" + FIRST + "," + event + "," + LAST + "]").getBytes(StandardCharsets.ISO_8859_1));

            assertThat(names(timeline)).hasSize(3).contains("first", "last");
            assertThat(timeline.name(1)).startsWith("odd");
            assertThat(Losses.withPlaces(timeline)).isEqualTo("1 BAD_TEXT at " + (FIRST.length() + 2));
        }
    }

    @Test
    void wrongUtf8InACutElementLeavesPlacesExact() throws ImportException {
        byte[] content =
                ("[" + FIRST + "," + FIRST + ",{\"name\":\"\u00e9\",\"ts").getBytes(StandardCharsets.ISO_8859_1);
        Timeline timeline = load(content);

        assertThat(names(timeline)).containsExactly("first", "first");
        assertThat(Losses.withPlaces(timeline))
                .isEqualTo("1 BAD_TEXT at " + (2 + 2 * FIRST.length()) + ", 1 TRUNCATED at " + content.length);
        assertThat(timeline.importStats().eventsRead()).isEqualTo(3);
    }

    @Test
    void halvesOfSurrogatePairsAreKept() throws ImportException {
        for (String half : List.of("\\ud83d", "\\ude00", "\\ud83d\\ud83d", "x\\ud83dy")) {
            Timeline timeline = load("[" + FIRST + ","
                    + op("\"ts\":5,\"dur\":1,\"args\":{\"" + half + "\":\"" + half + "\"}")
                            .replace("odd", "odd" + half) + "," + LAST + "]");
            assertThat(names(timeline)).hasSize(3);
            assertThat(timeline.name(1)).startsWith("odd");
        }
    }

    @ParameterizedTest
    @CsvSource({"150, true", "190, true", "201, false", "1000000, false"})
    void nestingIsReadToABoundAndRefusedBeyond(int depth, boolean isRead) throws ImportException {
        String lists = "[".repeat(depth) + "]".repeat(depth);
        String objects = "{\"a\":".repeat(depth) + "1" + "}".repeat(depth);
        for (String document : List.of(
                "[" + FIRST + "," + op("\"ts\":5,\"dur\":1,\"args\":{\"u\":" + lists + "}") + "]",
                "[" + FIRST + "," + op("\"ts\":5,\"dur\":1,\"args\":{\"Input Dims\":" + lists + "}") + "]",
                "{\"traceEvents\":[" + FIRST + "],\"p\":" + objects + "}",
                "{\"p\":" + objects + ",\"traceEvents\":[" + FIRST + "]}",
                "{\"p\":" + lists + ",\"traceEvents\":[" + FIRST + "]}")) {
            if (isRead) {
                assertThat(names(load(document))).contains("first");
            } else {
                assertThatThrownBy(() -> load(document))
                        .isInstanceOf(ImportException.class)
                        .hasMessageContaining("nesting deeper than 200");
            }
        }
    }

    @Test
    void textsOfMegabytesAreRead() throws ImportException {
        String text = "m\u00fc".repeat(1 << 20);
        Timeline timeline = load("{\"p\":\"" + text + "\",\"traceEvents\":[" + FIRST + ","
                + op("\"ts\":5,\"dur\":1,\"args\":{\"unread\":\"" + text + "\",\"" + text + "\":2}")
                        .replace("odd", text)
                + ","
                + LAST + "]}");

        assertThat(timeline.rowCount()).isEqualTo(3);
        assertThat(timeline.name(1)).isEqualTo(text);
        assertThat(Losses.of(timeline)).isEmpty();
    }

    @Test
    void aPathOfMembersWithEndlessNamesIsNoFact() throws ImportException {
        String name = "k".repeat(100_000);
        String nested = ("{\"" + name + "\":").repeat(150) + "1" + "}".repeat(150);

        Timeline timeline = load("{\"a\":" + nested + ",\"schemaVersion\":1,\"traceEvents\":[" + FIRST + "]}");

        assertThat(names(timeline)).containsExactly("first");
        assertThat(Losses.of(timeline)).isEqualTo("1 TOO_MANY_PROPERTIES");
        assertThat(timeline.importStats().entries().get(0).firstDetail()).hasSizeLessThan(100);
    }

    @Test
    void instantsWithoutCategoryAreKeptButForTheProfilersOwnMarks() throws ImportException {
        Timeline timeline = load("[" + FIRST
                + ",{\"ph\":\"i\",\"name\":\"request arrived\",\"pid\":1,\"tid\":1,\"ts\":5,\"s\":\"t\"}"
                + ",{\"ph\":\"i\",\"name\":\"Iteration Start: PyTorch Profiler\",\"pid\":\"Traces\",\"tid\":\"Trace PyTorch Profiler\",\"ts\":6,\"s\":\"g\"}"
                + ",{\"ph\":\"i\",\"name\":\"Record Window End\",\"pid\":\"\",\"tid\":\"\",\"ts\":7,\"s\":\"g\"}]");

        assertThat(names(timeline)).containsExactly("first", "request arrived");
        assertThat(timeline.kind(1)).isEqualTo(RowKind.INSTANT);
    }
}
