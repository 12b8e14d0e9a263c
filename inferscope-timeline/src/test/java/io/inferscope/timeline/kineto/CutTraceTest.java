package io.inferscope.timeline.kineto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.Losses;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Files that end early or go on too long, plain and as gzip of one member and of several. */
class CutTraceTest {
    private static final String EVENT =
            "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"sch\u00f6n \ud83d\ude00\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1,\"args\":{\"Input Dims\":[[1,2]],\"\u00fc\":\"\u00fc\"}}";
    private static final String DOCUMENT = "{\"schemaVersion\": 1, \"traceEvents\": [" + EVENT.formatted(0) + ",\r\n"
            + EVENT.formatted(5) + ",\r\n\t" + EVENT.formatted(9) + "], \"a\u00fc\": {\"b\u00fc\": [1.5, \"\u00fc\"]}}";

    @TempDir
    private Path folder;

    private Timeline load(byte[] content) throws ImportException {
        return CoreFormats.load(TraceFile.of(folder, "trace.json", content));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    private static int wholeEvents(byte[] content, int length) {
        String text = new String(content, 0, length, StandardCharsets.ISO_8859_1);
        return text.split("\"\u00c3\u00bc\":\"\u00c3\u00bc\"}}", -1).length - 1;
    }

    @Test
    void aDocumentCutAnywhereYieldsItsWholeEventsAndSaysWhereItEnds() throws ImportException {
        byte[] content = bytes(DOCUMENT);
        int first = DOCUMENT.indexOf('}') + 10;
        for (int length = first; length < content.length; length++) {
            byte[] cut = Arrays.copyOf(content, length);
            int expected = wholeEvents(content, length);
            if (expected > 0) {
                assertCut(load(cut), expected, length);
                assertCut(load(TraceFile.gzip(cut)), expected, length);
            }
        }
        assertThat(Losses.of(load(content))).isEmpty();
    }

    private static void assertCut(Timeline timeline, int expected, int length) {
        assertThat(timeline.rowCount()).as("cut at %d", length).isEqualTo(expected);
        assertThat(timeline.importStats().count(Reason.TRUNCATED))
                .as("cut at %d", length)
                .isOne();
        assertThat(timeline.importStats().count(Reason.MALFORMED))
                .as("cut at %d", length)
                .isZero();
        assertThat(timeline.importStats().bytesRead()).as("cut at %d", length).isEqualTo(length);
        assertThat(timeline.importStats().entries().stream()
                        .filter(e -> e.reason() == Reason.TRUNCATED)
                        .findFirst())
                .hasValueSatisfying(e -> assertThat(e.firstOffsetBytes()).isEqualTo(length));
    }

    @Test
    void aGzipCutAnywhereNeverCostsAnEventThatCanBeInflated() throws ImportException {
        byte[] zipped = TraceFile.gzip(bytes(DOCUMENT));
        int before = 0;
        for (int length = 0; length < zipped.length; length++) {
            int rows = rowsOrNone(Arrays.copyOf(zipped, length));
            assertThat(rows).as("cut at %d", length).isGreaterThanOrEqualTo(before);
            before = rows;
        }
        assertThat(before).isEqualTo(3);
    }

    private int rowsOrNone(byte[] content) {
        try {
            Timeline timeline = load(content);
            assertThat(Losses.of(timeline)).contains("1 TRUNCATED");
            return timeline.rowCount();
        } catch (ImportException nothingUsable) {
            assertThat(nothingUsable.getMessage()).doesNotContain("\n");
            return 0;
        }
    }

    private static byte[] twoMembers() {
        byte[] content = bytes(DOCUMENT);
        int half = content.length / 2;
        return joined(
                TraceFile.gzip(Arrays.copyOf(content, half)),
                TraceFile.gzip(Arrays.copyOfRange(content, half, content.length)));
    }

    @Test
    void aGzipOfSeveralMembersIsOneDocument() throws ImportException {
        Timeline timeline = load(twoMembers());
        assertThat(timeline.rowCount()).isEqualTo(3);
        assertThat(Losses.of(timeline)).isEmpty();
    }

    @Test
    void aSecondMemberThatIsCutAnywhereIsCounted() throws ImportException {
        byte[] content = bytes(DOCUMENT);
        byte[] both = twoMembers();
        int first = TraceFile.gzip(Arrays.copyOf(content, content.length / 2)).length;
        for (int length = first; length < both.length; length++) {
            Timeline timeline = load(Arrays.copyOf(both, length));
            assertThat(timeline.rowCount()).as("cut at %d", length).isPositive();
            assertThat(Losses.of(timeline)).as("cut at %d", length).contains("1 TRUNCATED");
        }
    }

    @Test
    void aSecondMemberThatIsDamagedIsCountedAndTheFirstIsUsed() throws ImportException {
        byte[] content = bytes(DOCUMENT);
        int first = TraceFile.gzip(Arrays.copyOf(content, content.length / 2)).length;
        for (int at = first; at < twoMembers().length; at++) {
            byte[] damaged = twoMembers();
            damaged[at] ^= (byte) 0xff;
            Timeline timeline = load(damaged);
            boolean isTimeOrSystem = at >= first + 4 && at < first + 10;
            assertThat(timeline.rowCount()).as("damaged at %d", at).isPositive();
            assertThat(Losses.of(timeline).isEmpty()).as("damaged at %d", at).isEqualTo(isTimeOrSystem);
        }
    }

    @Test
    void whatFollowsAGzipMemberIsCountedUnlessItIsPadding() throws ImportException {
        byte[] zipped = TraceFile.gzip(bytes(DOCUMENT));

        Timeline garbage = load(joined(zipped, bytes("HTTP/1.1 200 OK")));
        Timeline half = load(joined(zipped, new byte[] {0x1f}));

        assertThat(garbage.rowCount()).isEqualTo(3);
        assertThat(Losses.withPlaces(garbage)).isEqualTo("1 TRAILING_DATA at " + bytes(DOCUMENT).length);
        assertThat(Losses.of(half)).isEqualTo("1 TRUNCATED");
        assertThat(Losses.of(load(joined(zipped, new byte[512])))).isEmpty();
    }

    @Test
    void aSecondDocumentIsCountedPlainAndAsASecondMember() throws ImportException {
        byte[] content = bytes(DOCUMENT);

        for (byte[] twice : new byte[][] {
            joined(content, content), joined(TraceFile.gzip(content), TraceFile.gzip(content)),
        }) {
            Timeline timeline = load(twice);
            assertThat(timeline.rowCount()).isEqualTo(3);
            assertThat(Losses.withPlaces(timeline)).isEqualTo("1 TRAILING_DATA at " + content.length);
        }
    }

    @Test
    void damageBehindAnElementOrAtTheFirstByteIsCounted() throws ImportException {
        String first = EVENT.formatted(0);
        for (String before : List.of("[", "[" + first, "[" + first + ",", "{", "{\"traceEvents\":[" + first)) {
            byte[] member = TraceFile.gzip(bytes(before));
            member[member.length - 5] ^= 1;
            if (before.length() < 2) {
                assertThatThrownBy(() -> load(member))
                        .isInstanceOf(ImportException.class)
                        .hasMessageContaining("1 x damaged place");
            } else {
                Timeline timeline = load(member);
                assertThat(timeline.rowCount()).isOne();
                assertThat(Losses.withPlaces(timeline)).contains("1 MALFORMED at ");
            }
        }
    }

    /** What stands for damage, how many events it costs, and at how many places. */
    static Stream<Arguments> damages() {
        return Stream.of(
                Arguments.of("\"name\":\"a \"b\" c\"", 1, 1),
                Arguments.of("\"name\":\"dir\\\"", 1, 1),
                Arguments.of("\"name\":,", 1, 1),
                Arguments.of("\"name\":\"C:\\Users\\x\"", 0, 0),
                Arguments.of("\"args\":{\"est. occupancy\":inf,\"x\":-nan,\"y\":[-inf,nan]}", 0, 0),
                Arguments.of("\"args\":{\"list\":[1,{\"name\":\"x\"} {\"name\":2}]}", 1, 1),
                Arguments.of("\"args\":}", 1, 1));
    }

    @ParameterizedTest
    @MethodSource("damages")
    void readingResumesAtTheNextEvent(String damage, int lost, int places) throws ImportException {
        String events = IntStream.range(0, 50).mapToObj(EVENT::formatted).collect(Collectors.joining(",\n"));
        String bad = EVENT.formatted(17).replace("\"ph\"", damage + ",\"ph\"");
        for (String before : List.of("[", "{\"schemaVersion\":1,\"traceEvents\":[")) {
            String text = before + events.replace(EVENT.formatted(17), bad) + (before.equals("[") ? "]" : "],\"x\":1}");
            Timeline timeline = load(bytes(text));

            assertThat(timeline.rowCount()).isEqualTo(50 - lost);
            assertThat(timeline.importStats().count(Reason.MALFORMED)).isEqualTo(places);
            assertThat(timeline.importStats().bytesLost()).isBetween(lost * 20L, lost * 200L);
            assertThat(timeline.importStats().bytesRead()).isEqualTo(bytes(text).length);
            assertThat(timeline.importStats().count(Reason.TRAILING_DATA)).isZero();
        }
    }

    /** More than is kept of what was read. */
    @Test
    void readingResumesBehindALongDamagedEvent() throws ImportException {
        String events = IntStream.range(0, 50).mapToObj(EVENT::formatted).collect(Collectors.joining(",\n"));
        String blob = "x".repeat(9 << 20);
        String bad = EVENT.formatted(17).replace("\"ph\"", "\"blob\":\"" + blob + "\" oops,\"ph\"");
        String text = "[" + events.replace(EVENT.formatted(17), bad) + "]";

        Timeline timeline = load(bytes(text));

        assertThat(timeline.rowCount()).isEqualTo(49);
        assertThat(timeline.importStats().count(Reason.MALFORMED)).isOne();
        assertThat(timeline.importStats().bytesLost()).isBetween((long) blob.length(), blob.length() + 400L);
        assertThat(timeline.importStats().bytesRead()).isEqualTo(bytes(text).length);
    }

    /** Kineto writes one for each kernel whose occupancy it cannot compute. */
    @Test
    void noNumberOfNumbersThatAreNoneEndsTheReading() throws ImportException {
        String events = IntStream.range(0, 12_000)
                .mapToObj(i -> EVENT.formatted(i).replace("\"args\":{", "\"args\":{\"est. occupancy\":inf,"))
                .collect(Collectors.joining(",\n"));

        Timeline timeline = load(bytes("[" + events + "]"));

        assertThat(timeline.rowCount()).isEqualTo(12_000);
        assertThat(timeline.importStats().damage()).isEmpty();
    }

    @Test
    void damageInAPropertyBeforeTheEventsCostsNoEvent() throws ImportException {
        String text = "{\"deviceProperties\":[{\"name\":\"a\"b\"}],\"traceEvents\":[" + EVENT.formatted(1) + ","
                + EVENT.formatted(2) + "]}";

        Timeline timeline = load(bytes(text));

        assertThat(timeline.rowCount()).isEqualTo(2);
        assertThat(timeline.importStats().count(Reason.MALFORMED)).isOne();
    }

    @Test
    void bytesBehindTheDocumentAreLost() throws ImportException {
        byte[] content = bytes(DOCUMENT);

        Timeline timeline = load(joined(content, content));

        assertThat(timeline.importStats().bytesLost()).isEqualTo(content.length);
        assertThat(timeline.importStats().bytesRead()).isEqualTo(2L * content.length);
    }

    @Test
    void aHundredThousandEmptyMembersAreReadInOneGo() throws ImportException {
        byte[] empty = TraceFile.gzip(new byte[0]);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < 100_000; i++) {
            out.writeBytes(empty);
        }
        out.writeBytes(TraceFile.gzip(bytes(DOCUMENT)));

        assertThat(load(out.toByteArray()).rowCount()).isEqualTo(3);
    }
}
