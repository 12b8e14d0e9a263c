package io.inferscope.formats.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.formats.Formats;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.load.Importers.Input;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Archives whose members are made to fill the disk or the memory, or to keep other members from being read. */
class HostileArchivesTest {
    private static final String GOOD = "good.json";
    /** Twice what may describe one member. */
    private static final int TOO_LONG = 2 * (64 << 10);

    @TempDir
    Path folder;

    private byte[] trace;

    @BeforeEach
    void readTrace() throws Exception {
        Path plain = TraceFile.ofHalfIdleDevice(folder);
        trace = Files.readAllBytes(plain);
        Files.delete(plain);
    }

    /** A tar archive, byte by byte. */
    private static final class Tar {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        /** Adds a member of a type; {@code claimed} is another size than that of its content. */
        Tar add(String name, byte type, byte[] content, Map<Integer, String> fields) throws IOException {
            TarArchiveEntry entry = new TarArchiveEntry("x", type);
            entry.setName(name);
            entry.setSize(content.length);
            byte[] header = new byte[512];
            entry.writeEntryHeader(header);
            fields.forEach((at, text) -> {
                byte[] field = text.getBytes(StandardCharsets.ISO_8859_1);
                System.arraycopy(field, 0, header, at, field.length);
            });
            checksum(header);
            bytes.writeBytes(header);
            bytes.writeBytes(content);
            bytes.writeBytes(new byte[(512 - content.length % 512) % 512]);
            return this;
        }

        Tar add(String name, byte type, byte[] content) throws IOException {
            return add(name, type, content, Map.of());
        }

        Tar add(String name, byte[] content) throws IOException {
            return add(name, TarConstants.LF_NORMAL, content);
        }

        private static void checksum(byte[] header) {
            java.util.Arrays.fill(header, 148, 156, (byte) ' ');
            int sum = 0;
            for (byte one : header) {
                sum += one & 0xff;
            }
            byte[] text = String.format("%06o\0 ", sum).getBytes(StandardCharsets.US_ASCII);
            System.arraycopy(text, 0, header, 148, 8);
        }

        byte[] end() {
            bytes.writeBytes(new byte[1024]);
            return bytes.toByteArray();
        }
    }

    private static byte[] pax(String... keysAndValues) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            String rest = " " + keysAndValues[i] + "=" + keysAndValues[i + 1] + "\n";
            int length = rest.length() + Integer.toString(rest.length() + 6).length();
            length = rest.length() + Integer.toString(length).length();
            out.writeBytes((length + rest).getBytes(StandardCharsets.UTF_8));
        }
        return out.toByteArray();
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Three members of 2 GiB each, of every kind of sparse file, filled 6 GB of disk. */
    @Test
    void sparseMembersAreNamedAndNotWritten() throws Exception {
        byte[] map = java.util.Arrays.copyOf(text("1\n2147483647\n0\n"), 512);
        String size = "2147483647";
        Tar tar = new Tar()
                .add(
                        "old.json",
                        TarConstants.LF_GNUTYPE_SPARSE,
                        new byte[0],
                        Map.of(386, "17777777777\00000000000000\0", 483, "17777777777\0"))
                .add(
                        "x",
                        TarConstants.LF_PAX_EXTENDED_HEADER_LC,
                        pax(
                                "GNU.sparse.size",
                                size,
                                "GNU.sparse.numblocks",
                                "1",
                                "GNU.sparse.offset",
                                size,
                                "GNU.sparse.numbytes",
                                "0"))
                .add("pax00.json", new byte[0])
                .add(
                        "x",
                        TarConstants.LF_PAX_EXTENDED_HEADER_LC,
                        pax(
                                "GNU.sparse.size",
                                size,
                                "GNU.sparse.numblocks",
                                "1",
                                "GNU.sparse.map",
                                size + ",0",
                                "GNU.sparse.name",
                                "pax01.json"))
                .add("y", new byte[0])
                .add(
                        "x",
                        TarConstants.LF_PAX_EXTENDED_HEADER_LC,
                        pax(
                                "GNU.sparse.major",
                                "1",
                                "GNU.sparse.minor",
                                "0",
                                "GNU.sparse.name",
                                "pax10.json",
                                "GNU.sparse.realsize",
                                size))
                .add("y", map)
                .add(GOOD, trace);
        byte[] bytes = tar.end();
        for (byte[] packed : List.of(bytes, TraceFile.gzip(bytes), zip(Map.of("inner.tar", bytes)))) {
            Path file = TraceFile.of(folder, "sparse", packed);

            try (InputFiles handed = handed(file)) {
                assertThat(names(handed)).containsExactly(GOOD);
                assertThat(handed.damage())
                        .contains("left aside (sparse): old.json, pax00.json, pax01.json, pax10.json");
                try (Stream<Path> written =
                        Files.list(handed.inputs().get(0).file().getParent())) {
                    assertThat(written).hasSize(1);
                }
            }
        }
    }

    static Map<String, Tar> tooLongHeaders() throws IOException {
        String name = "a".repeat(TOO_LONG);
        Map<String, Tar> tars = new LinkedHashMap<>();
        tars.put("GNU name", new Tar().add("L", TarConstants.LF_GNUTYPE_LONGNAME, text(name)));
        tars.put("GNU link", new Tar().add("K", TarConstants.LF_GNUTYPE_LONGLINK, text(name)));
        tars.put("path", new Tar().add("x", TarConstants.LF_PAX_EXTENDED_HEADER_LC, pax("path", name)));
        tars.put("comment", new Tar().add("x", TarConstants.LF_PAX_EXTENDED_HEADER_LC, pax("comment", name)));
        tars.put("global", new Tar().add("g", TarConstants.LF_PAX_GLOBAL_EXTENDED_HEADER, pax("path", name)));
        tars.put(
                "map",
                new Tar()
                        .add(
                                "x",
                                TarConstants.LF_PAX_EXTENDED_HEADER_LC,
                                pax("GNU.sparse.major", "1", "GNU.sparse.minor", "0", "GNU.sparse.realsize", "0"))
                        .add("y", text(TOO_LONG / 4 + "\n" + "0\n0\n".repeat(TOO_LONG / 4))));
        Tar chain = new Tar();
        for (int i = 0; i < 10_000; i++) { // The library calls itself for each.
            chain.add("L", TarConstants.LF_GNUTYPE_LONGNAME, text("a"));
        }
        tars.put("chain", chain);
        return tars;
    }

    static Stream<String> headers() throws IOException {
        return tooLongHeaders().keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("headers")
    void whatDescribesAMemberAtLengthIsDamage(String kind) throws Exception {
        byte[] rest = tooLongHeaders().get(kind).add("short.json", trace).end();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(new Tar().add(GOOD, trace).bytes.toByteArray());
        all.writeBytes(rest);
        Path file = TraceFile.of(folder, "long.tar.gz", TraceFile.gzip(all.toByteArray()));

        try (InputFiles handed = handed(file)) {
            assertThat(names(handed)).containsExactly(GOOD);
            assertThat(handed.damage())
                    .isEqualTo("long.tar.gz is damaged (a name or header in it is longer than 64 KiB):"
                            + " the part before the damage is used");
        }
        assertThatThrownBy(() -> handed(TraceFile.of(folder, "first.tar", rest)).close())
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("first.tar: cannot be read: damaged, and nothing in it can be unpacked:"
                        + " a name or header in it is longer than 64 KiB");
    }

    @Test
    void thousandsOfMembersThatAreNoFilesAreOneShortSentence() throws Exception {
        Tar tar = new Tar();
        byte[] types = {TarConstants.LF_SYMLINK, TarConstants.LF_LINK, TarConstants.LF_FIFO, TarConstants.LF_CHR};
        for (int i = 0; i < 20_000; i++) {
            tar.add("some/folder/m" + i, types[i % types.length], new byte[0]);
        }
        Path file = TraceFile.of(folder, "links.tar", tar.add(GOOD, trace).end());

        try (InputFiles handed = handed(file)) {
            assertThat(names(handed)).containsExactly(GOOD);
            assertThat(handed.damage())
                    .isEqualTo("left aside (not a plain file): some/folder/m0, some/folder/m1, some/folder/m2,"
                            + " some/folder/m3, some/folder/m4 and 19995 more");
        }
    }

    /** Each list of names: those of members that cannot be written, and why; the last member is good. */
    static Map<String, List<String>> conflicts() {
        Map<String, List<String>> conflicts = new LinkedHashMap<>();
        conflicts.put("its folder is a file in it, too", List.of("a", "a/b", "a/b/c/d"));
        conflicts.put("in it twice, the first is used", List.of("a/b", "a", "./a/b", "a/../a/b"));
        conflicts.put("the name is too long for a file", List.of("", "n".repeat(256), "f".repeat(256) + "/x"));
        conflicts.put("its folder is nested too deep", List.of("", "f/".repeat(9) + "x"));
        conflicts.put("not a name of a file", List.of("", ".", "a/.."));
        return conflicts;
    }

    static Stream<String> reasons() {
        return conflicts().keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("reasons")
    void aMemberThatCannotBeWrittenKeepsNoOtherFromBeingRead(String why) throws Exception {
        List<String> names =
                conflicts().get(why).stream().filter(name -> !name.isEmpty()).toList();
        int written = conflicts().get(why).get(0).isEmpty() ? 0 : 1;
        Map<String, byte[]> members = new LinkedHashMap<>();
        names.forEach(name -> members.put(name, text("no trace")));
        members.put(GOOD, trace);
        Tar tar = new Tar();
        for (Map.Entry<String, byte[]> member : members.entrySet()) {
            tar.add("L", TarConstants.LF_GNUTYPE_LONGNAME, text(member.getKey() + "\0"));
            tar.add("x", member.getValue());
        }
        for (byte[] packed : List.of(tar.end(), zip(members))) {
            Path file = TraceFile.of(folder, "conflict", packed);

            try (InputFiles handed = handed(file)) {
                assertThat(names(handed)).containsExactly(GOOD);
                List<String> left = names.subList(written, names.size());
                assertThat(handed.damage())
                        .startsWith("left aside (" + why + "): ")
                        .contains(left.stream().map(NameList::shortened).toList());
            }
        }
    }

    @Test
    void anArchiveInAnArchiveIsUnpackedUnderAnyName() throws Exception {
        byte[] inner = new Tar().add(GOOD, trace).end();
        for (String name : List.of("n".repeat(255), "a.tar", "a", "...gz")) {
            Map<String, byte[]> members = new LinkedHashMap<>();
            members.put(name, TraceFile.gzip(inner));
            members.put("a.tar.packed", text("no trace"));
            members.put("last.json", trace);
            Path file = TraceFile.of(folder, "nested.zip", zip(members));

            try (InputFiles handed = handed(file)) {
                assertThat(names(handed)).as(name).containsExactlyInAnyOrder(GOOD, "last.json");
                assertThat(handed.damage()).isEmpty();
            }
        }
    }

    @Test
    void whatIsWrittenIsBounded() throws Exception {
        Path file = TraceFile.of(folder, "bomb.zip", zip(Map.of("zeros.json", new byte[270_000_000])));

        assertThatThrownBy(() -> handed(file).close()).hasMessageContaining("bomb.zip: refused after 256 MiB");
    }

    @Test
    void foldersBelowTheDeepestThatIsSearchedAreNamed() throws Exception {
        List<String> parts =
                new ArrayList<>(IntStream.range(0, 9).mapToObj(i -> "f" + i).toList());
        Path deep = Files.createDirectories(folder.resolve(String.join("/", parts)));
        TraceFile.of(deep, "deep.json", trace);
        TraceFile.of(folder, GOOD, trace);

        try (InputFiles handed = handed(folder)) {
            assertThat(names(handed)).containsExactly(GOOD);
            assertThat(handed.contents().get(0)).endsWith("; left aside: f0/f1/f2/f3/f4/f5/f6/f7/f8 (nested too deep)");
        }
    }

    private static byte[] zip(Map<String, byte[]> members) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream out = new ZipOutputStream(bytes)) {
            for (Map.Entry<String, byte[]> member : members.entrySet()) {
                out.putNextEntry(new ZipEntry(member.getKey()));
                out.write(member.getValue());
            }
        }
        return bytes.toByteArray();
    }

    private static List<String> names(InputFiles handed) {
        return handed.inputs().stream()
                .map(input -> String.valueOf(input.file().getFileName()))
                .toList();
    }

    private InputFiles handed(Path file) throws ImportException {
        return InputFiles.of(List.of(new Input(file, null)), Formats.importers(), new ByteArrayInputStream(trace), "");
    }
}
