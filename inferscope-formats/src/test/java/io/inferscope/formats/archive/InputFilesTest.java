package io.inferscope.formats.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.airlift.compress.zstd.ZstdOutputStream;
import io.inferscope.formats.Formats;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.InflationBound;
import io.inferscope.timeline.importer.RefusedInputException;
import io.inferscope.timeline.load.Importers.Input;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

class InputFilesTest {
    @TempDir
    Path folder;

    private byte[] trace;
    private Timeline expected;

    @BeforeEach
    void readPlain() throws Exception {
        Path plain = TraceFile.ofHalfIdleDevice(folder);
        trace = Files.readAllBytes(plain);
        expected = Formats.importers().load(plain);
        Files.delete(plain);
    }

    private interface Packer {
        OutputStream pack(OutputStream out) throws IOException;
    }

    @Test
    void aTraceOfAnyCompressionIsRead() throws Exception {
        Map<String, Packer> packers = Map.of(
                "a.json.gz.gz",
                out -> new GZIPOutputStream(new GZIPOutputStream(out)),
                "a.json.zst",
                ZstdOutputStream::new,
                "a.json.xz",
                out -> new XZOutputStream(out, new LZMA2Options(0)),
                "a.json.bz2",
                BZip2CompressorOutputStream::new);
        for (Map.Entry<String, Packer> packer : packers.entrySet()) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (OutputStream out = packer.getValue().pack(bytes)) {
                out.write(trace);
            }
            Path file = TraceFile.of(folder, packer.getKey(), bytes.toByteArray());

            assertThat(read(file).rowCount()).as(packer.getKey()).isEqualTo(expected.rowCount());
        }
    }

    @Test
    void whatIsInAnArchiveIsToldAndRead() throws Exception {
        Path zip = zip("a.zip", "run/rank0.json", "notes.txt", "run/rank1.json");

        try (InputFiles handed = handed(zip)) {
            assertThat(handed.contents())
                    .containsExactly(
                            zip + " holds 2 recordings: run/rank0.json, run/rank1.json; left aside: notes.txt");
            assertThat(handed.inputs()).hasSize(2).allMatch(Input::found);
        }
    }

    @Test
    void anArchiveInAnArtefactIsUnpackedToo() throws Exception {
        byte[] tar = TraceFile.gzip(tar("rank0.json", TarConstants.LF_NORMAL));
        Path zip = folder.resolve("artefact.zip");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
            out.putNextEntry(new ZipEntry("ranks.tar.gz"));
            out.write(tar);
        }

        assertThat(read(zip).rowCount()).isEqualTo(expected.rowCount());
    }

    @Test
    void aDamagedMemberLeavesTheOthersUsable() throws Exception {
        Path zip = folder.resolve("ranks.zip");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
            out.putNextEntry(new ZipEntry("rank0.json.zst"));
            out.write(new byte[] {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, 1, 2, 3});
            out.putNextEntry(new ZipEntry("rank1.json"));
            out.write(trace);
        }

        try (InputFiles handed = handed(zip)) {
            assertThat(handed.damage()).contains("rank0.json.zst in ranks.zip");
        }
        assertThat(read(zip).rowCount()).isEqualTo(expected.rowCount());
    }

    @Test
    void archivesInArchivesAreUnpackedThreeDeepAndNoFurther() throws Exception {
        byte[] packed = trace;
        String name = "trace.json";
        for (int depth = 0; depth < 6; depth++) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ZipOutputStream out = new ZipOutputStream(bytes)) {
                out.putNextEntry(new ZipEntry(name));
                out.write(packed);
            }
            packed = bytes.toByteArray();
            name = "depth" + depth + ".zip";
        }
        Path zip = TraceFile.of(folder, "deep.zip", packed);

        assertThatThrownBy(() -> handed(zip))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("archives nested too deep");
    }

    @Test
    void nothingStaysInTheTemporaryFolder() throws Exception {
        Path unpacked;
        try (InputFiles handed = handed(TraceFile.of(folder, "a.tar", tar("a.json", TarConstants.LF_NORMAL)))) {
            unpacked = handed.inputs().get(0).file();
            assertThat(unpacked).exists();
        }
        assertThat(unpacked).doesNotExist();
        assertThat(unpacked.getParent().getParent()).doesNotExist();
    }

    @Test
    void standardInputAndPatternsAreTaken() throws Exception {
        Path ranks = Files.createDirectory(folder.resolve("ranks"));
        TraceFile.of(ranks, "rank0.json", trace);
        TraceFile.of(ranks, "rank1.json", trace);
        TraceFile.of(ranks, "other.json", trace);

        try (InputFiles handed = handed(ranks.resolve("rank*.json"))) {
            assertThat(handed.inputs())
                    .extracting(input -> input.file().getFileName().toString())
                    .containsExactly("rank0.json", "rank1.json");
        }
        assertThat(read(Path.of("-")).rowCount()).isEqualTo(expected.rowCount());
    }

    @Test
    void ofAnEndlessInputThatIsNoRecordingOnlyTheHeadIsCopied() throws Exception {
        try (InputFiles handed = handed(Path.of("/dev/zero"))) {
            assertThat(handed.inputs().get(0).file()).hasSize(1 << 20);
        }
        assertThatThrownBy(() -> read(Path.of("/dev/zero")))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("zero");
    }

    @Test
    void anEndlessInputThatBeginsLikeARecordingIsRefused() throws Exception {
        byte[] part = "{\"ph\":\"i\",\"name\":\"a\",\"ts\":1},".repeat(1000).getBytes(StandardCharsets.UTF_8);
        InputStream endless = new InputStream() {
            private long at;

            @Override
            public int read() {
                return part[(int) (at++ % part.length)];
            }
        };
        ByteArrayOutputStream out = new ByteArrayOutputStream();

        assertThatThrownBy(() -> InputFiles.copy(endless, out, 3 << 20, folder))
                .isInstanceOf(RefusedInputException.class)
                .hasMessageStartingWith("refused after 3 MiB of a device or a pipe: ")
                .hasMessageEndingWith(folder.toString());
        assertThat(out.size()).isEqualTo(3 << 20);
    }

    @Test
    void aPipeThatIsLargerThanItsHeadIsCopiedCompletely() throws Exception {
        byte[] blanks = " ".repeat(5 << 20).getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(trace, 0, trace.length - 1);
        bytes.write(blanks);
        bytes.write(trace, trace.length - 1, 1);
        trace = bytes.toByteArray();

        assertThat(read(Path.of("-")).rowCount()).isEqualTo(expected.rowCount());
    }

    @Test
    void aPatternGoesThroughFolders() throws Exception {
        for (String rank : List.of("run1/rank0", "run1/rank1", "run2/deep/er/rank0")) {
            Path at = Files.createDirectories(folder.resolve("jobs").resolve(rank));
            TraceFile.of(at, "trace.json", trace);
        }

        assertThat(found("jobs/*/rank?/trace.json")).containsExactly("run1/rank0", "run1/rank1");
        assertThat(found("jobs/**/trace.json")).containsExactly("run1/rank0", "run1/rank1", "run2/deep/er/rank0");
        assertThat(found("jobs/**"))
                .as("each once, not again for each folder above it")
                .containsExactly("run1/rank0", "run1/rank1", "run2/deep/er/rank0");
        assertThatThrownBy(() -> found("jobs/[/trace.json"))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("is no pattern: ")
                .hasMessageContaining("check its brackets");
    }

    private List<String> found(String pattern) throws ImportException {
        Path jobs = folder.resolve("jobs");
        try (InputFiles handed = handed(folder.resolve(pattern))) {
            return handed.inputs().stream()
                    .map(input -> jobs.relativize(input.file().getParent()).toString())
                    .toList();
        }
    }

    @Test
    void anArchiveMayHaveItsNameInCapitals() throws Exception {
        Path run = Files.createDirectory(folder.resolve("run"));
        Files.move(zip("a.zip", "trace.json"), run.resolve("A.ZIP"));

        assertThat(read(run).rowCount()).isEqualTo(expected.rowCount());
    }

    @Test
    void weightsInAFolderAreNotUnpacked() throws Exception {
        Path run = Files.createDirectory(folder.resolve("run"));
        TraceFile.of(run, "trace.json", trace);
        Files.move(zip("weights.zip", "data.json"), run.resolve("weights.pt"));

        try (InputFiles handed = handed(run)) {
            assertThat(handed.contents())
                    .containsExactly(run + " holds 1 recording: trace.json; left aside: weights.pt");
        }
        assertThat(read(run.resolve("weights.pt")).rowCount()).isEqualTo(expected.rowCount());
    }

    @Test
    void filesOfManyArchivesAreCalledByTheirArchives() throws Exception {
        Path run = Files.createDirectory(folder.resolve("run"));
        for (int i = 10; i < 23; i++) {
            Files.move(zip("a.zip", "trace.json"), run.resolve("a" + i + ".zip"));
        }

        try (InputFiles handed = handed(run)) {
            assertThat(handed.named(handed.inputs().get(12).file().toString()))
                    .isEqualTo(run.resolve("a22.zip").resolve("trace.json").toString());
        }
    }

    @Test
    void aNameThatLeadsOutOfTheFolderIsRefused() throws Exception {
        for (String name : List.of("../x.json", "/etc/x.json", "a/../../x.json")) {
            Path zip = zip("evil.zip", name);

            assertThatThrownBy(() -> handed(zip))
                    .isInstanceOf(ImportException.class)
                    .hasMessage(
                            zip + ": refused: its file " + name
                                    + " would be written outside of the folder it is unpacked to; if you trust it, unpack it yourself and name the recording");
        }
    }

    @Test
    void linksAreNotFollowed() throws Exception {
        Path tar = TraceFile.of(folder, "link.tar", tar("a.json", TarConstants.LF_SYMLINK));

        assertThatThrownBy(() -> handed(tar)).hasMessageContaining("holds no recording of a known format: it is empty");
    }

    @Test
    void whatInflatesWithoutEndIsRefused() throws Exception {
        InflationBound bound = new InflationBound("archive", () -> 1L << 20);
        bound.inflated(400 << 20);

        assertThatThrownBy(() -> bound.inflated(401 << 10))
                .isInstanceOf(RefusedInputException.class)
                .hasMessageContaining("1024 KiB of archive inflate to more than 400 times as much");
    }

    /** A device of 600 MB in an archive: it is not unpacked, and to pass over it takes as long. */
    @Test
    void whatIsOnlyPassedOverIsBoundedToo() throws Exception {
        TarArchiveEntry device = new TarArchiveEntry("device", TarConstants.LF_CHR);
        device.setSize(600_000_000);
        byte[] header = new byte[512];
        device.writeEntryHeader(header);
        ByteArrayOutputStream zstd = new ByteArrayOutputStream();
        zstd.writeBytes(new byte[] {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, 0, 0x38}); // RFC 8878: a window of 128 KiB
        block(zstd, 0, header.length, header);
        for (int i = 0; i < 600_000_000; i += 1 << 17) {
            block(zstd, 1, 1 << 17, new byte[1]); // One byte, repeated.
        }
        Path bomb = TraceFile.of(folder, "bomb.tar.zst", zstd.toByteArray());

        assertThatThrownBy(() -> handed(bomb))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("bomb.tar.zst: refused after 256 MiB");
    }

    private static void block(ByteArrayOutputStream zstd, int type, int size, byte[] content) {
        int head = size << 3 | type << 1;
        zstd.writeBytes(new byte[] {(byte) head, (byte) (head >> 8), (byte) (head >> 16)});
        zstd.writeBytes(content);
    }

    @Test
    void whatPrecedesDamageIsUsedAndTheDamageIsTold() throws Exception {
        byte[] tar = tar("a.json", TarConstants.LF_NORMAL);
        Path cut = TraceFile.of(folder, "cut.tar", Arrays.copyOf(tar, 512 + trace.length / 2));

        try (InputFiles handed = handed(cut)) {
            assertThat(handed.damage())
                    .startsWith("cut.tar is damaged (")
                    .endsWith("the part before the damage is used");
            assertThat(handed.inputs()).hasSize(1);
        }
    }

    @Test
    void aReportOfNsightSystemsNamesTheCommandThatConvertsIt() throws Exception {
        Path report = TraceFile.of(folder, "a.nsys-rep", "not known");

        assertThatThrownBy(() -> handed(report))
                .hasMessage(
                        report
                                + ": only Nsight Systems can read this report, and nsys is not on PATH; run this where nsys is installed, and name its output: nsys export --type=sqlite --output=a.sqlite a.nsys-rep");
    }

    @Test
    void aNameInASuggestedCommandIsOneWordOfAShell() throws Exception {
        Path report = TraceFile.of(folder, "-a $(id).nsys-rep", "not known");

        assertThatThrownBy(() -> handed(report))
                .hasMessageEndingWith("; run this where nsys is installed, and name its output:"
                        + " nsys export --type=sqlite '--output=-a $(id).sqlite' './-a $(id).nsys-rep'");
    }

    /** Whoever sends a trace may send a program beside it. */
    @Test
    void aProgramInTheWorkingFolderIsNotRun() throws Exception {
        Path report = TraceFile.of(folder, "a.nsys-rep", "not known");
        Path nsys = TraceFile.of(folder, "nsys", "#!/bin/sh\n");
        assertThat(nsys.toFile().setExecutable(true)).isTrue();
        Path relative = Path.of("").toAbsolutePath().relativize(folder);

        for (String searched : List.of(relative.toString(), ":" + relative, relative + ":/none")) {
            assertThatThrownBy(() ->
                            InputFiles.of(List.of(new Input(report, null)), Formats.importers(), System.in, searched))
                    .hasMessageContaining("nsys is not on PATH");
        }
    }

    @Test
    @Tag("process")
    void aReportOfNsightSystemsIsExportedWhereItsProgramIs() throws Exception {
        Path report = TraceFile.of(folder, "a.nsys-rep", trace);
        Path programs = Files.createDirectory(folder.resolve("bin"));
        Path nsys = TraceFile.of(programs, "nsys", "#!/bin/sh\ncp \"$4\" \"${3#--output=}\"\n");
        assertThat(nsys.toFile().setExecutable(true)).isTrue();

        try (InputFiles handed =
                InputFiles.of(List.of(new Input(report, null)), Formats.importers(), System.in, programs.toString())) {
            assertThat(handed.inputs().get(0).file()).hasFileName("a.sqlite").hasBinaryContent(trace);
        }
    }

    @Test
    @Tag("traces")
    void eightRanksInAnArchiveAreOneRun() throws Exception {
        Timeline timeline = read(SharedTraces.folder().resolve("ranks").resolve("dlrm-8-ranks.tar.gz"));

        assertThat(timeline.properties()).containsKey("source.7.name").doesNotContainKey("input.left_aside");
    }

    private InputFiles handed(Path file) throws ImportException {
        return InputFiles.of(List.of(new Input(file, null)), Formats.importers(), new ByteArrayInputStream(trace), "");
    }

    private Timeline read(Path file) throws ImportException {
        try (InputFiles handed = handed(file)) {
            return Formats.importers().load(handed.inputs(), bytes -> {});
        }
    }

    private Path zip(String name, String... files) throws IOException {
        Path zip = folder.resolve(name);
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
            for (String file : files) {
                out.putNextEntry(new ZipEntry(file));
                out.write(file.endsWith(".json") ? trace : "text".getBytes(StandardCharsets.UTF_8));
            }
        }
        return zip;
    }

    private byte[] tar(String name, byte type) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes)) {
            TarArchiveEntry entry = new TarArchiveEntry(name, type);
            boolean link = type == TarConstants.LF_SYMLINK;
            entry.setSize(link ? 0 : trace.length);
            if (link) {
                entry.setLinkName("/etc/passwd");
            }
            tar.putArchiveEntry(entry);
            tar.write(link ? new byte[0] : trace);
            tar.closeArchiveEntry();
        }
        return bytes.toByteArray();
    }
}
