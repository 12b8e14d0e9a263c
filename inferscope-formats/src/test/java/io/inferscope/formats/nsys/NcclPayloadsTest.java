package io.inferscope.formats.nsys;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.formats.Formats;
import io.inferscope.formats.sqlite.SqliteFixture;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.importer.ImportException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sizes of NCCL's messages from the payloads of its ranges, in the layout that NCCL declares. */
class NcclPayloadsTest {
    /** Schema 1: a communicator is made; 2: a collective; 3: a message to one rank. */
    private static final String TABLES = """
            CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
            CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER, schemaId INTEGER, idx INTEGER, type INTEGER, name TEXT, offset INTEGER);
            INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (1, 1, 0, 18, 'NCCL communicator ID', NULL), (1, 1, 1, 5, 'No. of ranks', 8),
              (1, 2, 0, 18, 'NCCL communicator ID', NULL), (1, 2, 1, 22, 'Message size [bytes]', 8),
              (1, 3, 0, 18, 'NCCL communicator ID', NULL), (1, 3, 1, 22, 'Message size [bytes]', 8), (1, 3, 2, 5, 'Peer rank', 16);
            CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, "end" INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER,
              domainId INTEGER, binaryData TEXT);
            """;

    @TempDir
    private Path folder;

    private static byte[] payload(long schema, long sizeBytes, int number) {
        return ByteBuffer.allocate(32 + 24)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(1)
                .putLong(schema)
                .putLong(24)
                .putLong(56)
                .putLong(0xabc)
                .putLong(schema == 1 ? number : sizeBytes)
                .putInt(number)
                .array();
    }

    private static String range(int atNs, String name, byte... payload) {
        String blob = payload.length == 0
                ? "NULL"
                : "X'" + HexFormat.of().formatHex(payload).toUpperCase(Locale.ROOT) + "'";
        return "INSERT INTO NVTX_EVENTS VALUES (" + atNs + ", " + (atNs + 10) + ", 59, '" + name + "', 11, 1, " + blob
                + ");\n";
    }

    /** Returns the messages of the calls, in the order of time; empty where none is known. */
    private List<String> messages(String... ranges) throws ImportException {
        Timeline timeline = Formats.importers()
                .load(SqliteFixture.write(folder.resolve("a.sqlite"), TABLES + String.join("", ranges)));
        return IntStream.range(0, timeline.rowCount())
                .mapToObj(row -> message(timeline, row))
                .toList();
    }

    private static String message(Timeline timeline, int row) {
        String name = timeline.attributeText(row, Attribute.COLLECTIVE);
        return name.isEmpty()
                ? ""
                : String.join(
                        "|",
                        name,
                        timeline.attributeText(row, Attribute.ELEMENT_TYPE),
                        Long.toString(timeline.attribute(row, Attribute.MESSAGE_ELEMENTS)),
                        timeline.attributeText(row, Attribute.GROUP_NAME),
                        Long.toString(timeline.attribute(row, Attribute.GROUP_SIZE)));
    }

    @Test
    void aCollectiveTellsItsSizeAndItsCommunicatorItsRanks() throws ImportException {
        assertThat(messages(
                        range(0, "ncclCommInitRank", payload(1, 0, 8)),
                        range(20, "ncclAllReduce", payload(2, 4096, 0)),
                        range(40, "ncclReduceScatter", payload(2, 100, 0)),
                        range(60, "ncclGroupEnd")))
                .containsExactly("", "AllReduce|Byte|4096|abc|8", "ReduceScatter|Byte|800|abc|8", "");
    }

    @Test
    void withoutItsRanksAPartOfAMessageHasNoSize() throws ImportException {
        assertThat(messages(range(0, "ncclReduceScatter", payload(2, 100, 0))))
                .containsExactly("ReduceScatter|Byte|-1|abc|0");
    }

    /** The end of a group launches the kernel of what is sent to several ranks. */
    @Test
    void whatIsSentInOneGroupIsOneMessage() throws ImportException {
        assertThat(messages(
                                range(0, "ncclGroupStart"),
                                range(20, "ncclSend", payload(3, 100, 0)),
                                range(40, "ncclRecv", payload(3, 100, 0)),
                                range(60, "ncclSend", payload(3, 200, 1)),
                                range(80, "ncclRecv", payload(3, 200, 1)),
                                range(100, "ncclGroupEnd"))
                        .get(5))
                .isEqualTo("SendRecv|Byte|300|abc|0");
    }

    /** Two GPUs of one thread: which kernel sends what is not known. */
    @Test
    void aGroupThatSendsTwiceToARankHasNoSize() throws ImportException {
        assertThat(messages(
                                range(0, "ncclGroupStart"),
                                range(20, "ncclSend", payload(3, 100, 1)),
                                range(60, "ncclSend", payload(3, 200, 1)),
                                range(100, "ncclGroupEnd"))
                        .get(3))
                .isEmpty();
    }

    @Test
    void anExportWithoutPayloadsSaysHowToWriteThem() throws ImportException {
        Timeline timeline = Formats.importers()
                .load(SqliteFixture.write(folder.resolve("a.sqlite"), TABLES + range(0, "ncclAllReduce")));

        assertThat(timeline.info().coverage())
                .extracting(Coverage::why)
                .containsExactly(
                        "sizes of NCCL's messages are not in this export; `nsys export --type=sqlite --include-blobs=true` writes"
                                + " them");
    }

    @Test
    void aPayloadThatIsCutTellsNothing() throws ImportException {
        assertThat(messages(
                        range(0, "ncclAllReduce", Arrays.copyOf(payload(2, 4096, 0), 44)),
                        range(20, "ncclAllReduce", Arrays.copyOf(payload(2, 4096, 0), 7))))
                .containsExactly("", "");
    }
}
