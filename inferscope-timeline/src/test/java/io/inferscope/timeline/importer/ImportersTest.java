package io.inferscope.timeline.importer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.text.ShellText;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ImportersTest {
    @TempDir
    private Path folder;

    private static String complaint(Path file) {
        ImportException complaint = catchThrowableOfType(ImportException.class, () -> CoreFormats.load(file));
        assertThat(complaint).isNotNull();
        assertThat(complaint.getMessage()).doesNotContain("\n").startsWith(file + ": ");
        return complaint.getMessage().substring(file.toString().length() + 2);
    }

    /** JSON is asked what it is only when nothing usable is in it. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"ph\":\"X\",\"ts\":1,\"dur\":2}\\n{\"ph\":\"X\",\"ts\":3,\"dur\":2}\\n | one event a line; make one list of them: jq -s . a.json",
                "{\"status\":0,\"data\":{\"traceEvents\":[{\"ph\":\"X\",\"ts\":1,\"dur\":2}]}} | whose events are in its member \"data\"; take the trace out: jq '.\"data\"' a.json",
                "[{\"ph\":\"X\",\"ts\":1700000000000000000,\"dur\":2}] | stamps in nanoseconds since 1970"
            })
    void aTraceInAnotherShapeIsNamed(String content, String expected) throws IOException {
        Path file = Files.writeString(folder.resolve("a.json"), content.replace("\\n", "\n"));

        assertThat(complaint(file)).contains(expected);
    }

    /** What a file says, and its name, are one word each of a command that users paste. */
    @ParameterizedTest
    @ValueSource(strings = {"a.json", "x'; touch pwned; '.json", "-rf %s THIS.json"})
    void noNameLeavesItsWordOfACommand(String name) throws IOException {
        String member = "x'; touch pwned; '";
        Path file = Files.writeString(
                folder.resolve(name), "{\"" + member + "\":{\"traceEvents\":[{\"ph\":\"X\",\"ts\":1,\"dur\":2}]}}");

        assertThat(complaint(file))
                .endsWith("; take the trace out: jq '.\"x'\\''; touch pwned; '\\''\"' " + ShellText.file(name)
                        + " > trace.json");
    }

    /** jq computes what is in \(...) of a text. */
    @Test
    void aMemberWhoseNameIsAnExpressionIsInNoCommand() throws IOException {
        Path file = Files.writeString(
                folder.resolve("a.json"), "{\"\\(env)\":{\"traceEvents\":[{\"ph\":\"X\",\"ts\":1,\"dur\":2}]}}");

        assertThat(complaint(file)).doesNotContain("jq");
    }

    @Test
    void plainContentIsSkippedWithoutReadingIt() throws IOException {
        AtomicLong bytesRead = new AtomicLong();
        InputStream plain = new ByteArrayInputStream(new byte[1 << 20]) {
            @Override
            public synchronized int read(byte[] into, int offset, int length) {
                bytesRead.addAndGet(length);
                return super.read(into, offset, length);
            }
        };

        Utf16.decoded(plain).skipNBytes(1 << 19);

        assertThat(bytesRead).hasValue(Utf16.HEAD_BYTES);
    }

    @Test
    void behindTheEndThereIsNothingToSkip() throws IOException {
        Path file = Files.writeString(folder.resolve("a.json"), "0123456789");
        InputStream in = new TraceSource(file).open();
        assertThat(in.readAllBytes()).hasSize(10);
        assertThat(in.read()).isNegative();
        assertThat(in.skip(5)).isZero();
        in.close();
        assertThat(in.readAllBytes()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16", "UTF-16LE", "UTF-16BE"})
    void textInUtf16IsRead(String encoding) throws Exception {
        String text =
                "[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"\u00e4 \ud83d\ude00\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":2}]";
        Path file = Files.write(folder.resolve("a.json"), text.getBytes(encoding));

        Timeline timeline = CoreFormats.load(file);

        assertThat(timeline.name(0)).isEqualTo("\u00e4 \ud83d\ude00");
        assertThat(timeline.importStats().damage()).isEmpty();
    }

    @Test
    void aMissingFileIsNamed() {
        assertThat(complaint(folder.resolve("absent.json"))).isEqualTo("no such file; check the path");
    }

    @Test
    void anEmptyFileIsNamed() {
        assertThat(complaint(TraceFile.of(folder, "empty.json", ""))).isEqualTo("is empty; record the trace again");
    }

    @Test
    void aDirectoryIsNamed() {
        assertThat(complaint(folder))
                .isEqualTo("is a directory without a known recording in it; name a trace file in it");
    }

    @Test
    void textIsNotATrace() {
        assertThat(complaint(TraceFile.of(folder, "notes.txt", "Dear diary,\n")))
                .startsWith("not a trace of a known format; known formats: ")
                .contains("Kineto / Chrome Trace Event JSON");
    }

    @Test
    void whitespaceIsNotATrace() {
        assertThat(complaint(TraceFile.of(folder, "blank.json", " \n\t\r\n ")))
                .startsWith("not a trace of a known format");
    }

    @Test
    void binaryGarbageIsNotATrace() {
        byte[] garbage = new byte[100_000];
        new Random(1).nextBytes(garbage);
        garbage[0] = 1;

        assertThat(complaint(TraceFile.of(folder, "garbage.bin", garbage))).startsWith("not a trace of a known format");
    }

    @Test
    void zippedGarbageIsNotATrace() {
        byte[] garbage = new byte[10_000];
        new Random(2).nextBytes(garbage);
        garbage[0] = 1;

        assertThat(complaint(TraceFile.of(folder, "garbage.gz", TraceFile.gzip(garbage))))
                .startsWith("not a trace of a known format");
    }

    @Test
    void aGzipHeaderAloneIsNotATrace() {
        assertThat(complaint(TraceFile.of(folder, "cut.gz", new byte[] {0x1f, (byte) 0x8b, 8})))
                .startsWith("not a trace of a known format");
        assertThat(complaint(TraceFile.of(folder, "one.gz", new byte[] {0x1f})))
                .startsWith("not a trace of a known format");
    }

    /** Control characters are written as C does. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "perf.data | PERFILE2\\x68 | is a recording of perf; fold its stacks: perf script -i",
                "a.txt | t 13306 24413.721256:     250000 cpu-clock:ppp: \\n\\t 15389 main+0x2 (/bin/t)\\n | is what `perf script` prints",
                "a.txt | # x\\n#\\nmy app 7/8 [001] 4.7: cycles:u: 15 main\\n | is what `perf script` prints",
                "a.txt | # To display the perf.data header info, please use --header\\n | is what `perf report` prints",
                "callgrind.out.1 | # callgrind format\\nversion: 1\\n | is a call graph of Valgrind's Callgrind",
                "v8.log | v8-version,11,3,244,8,-node.38,0\\n | is the log of `node --prof`; node --prof-process --preprocess v8.log",
                "a.txt | 17 07:37:32.11 execve(\"/bin/true\", [\"true\"], 0x7ffe /* 9 vars */) = 0 <0.000290>\\n | is what strace prints",
                "a.txt | brk(NULL)                               = 0x55d8\\n | is what strace prints",
                "a.json.gz | version https://git-lfs.github.com/spec/v1\\noid sha256:4\\n | is a pointer of Git LFS, not the file that it stands for; fetch the file: git lfs pull",
                "old.jfr | FLR\\x00\\x00\\x00\\x00\\x09 | is a flight recording of version 0",
                "a.svg | <?xml version=\"1.0\"?>\\n<svg> | is a page or a picture",
                "t | go 1.22 trace\\x00\\x00\\x00 | is an execution trace of Go; go tool trace -http=localhost:8080 t",
                "cpu | \\x0a\\x04\\x08\\x01\\x10\\x02\\x0a\\x04\\x08\\x03\\x10\\x04 | is a profile of pprof",
                "cpu | H\\xdd\\xd0\\xbb\\x18\\x0a\\x04\\x08\\x01\\x10\\x02 | is a profile of pprof",
                "gmon.out | gmon\\x01\\x00 | is a profile of gprof",
                "m.bin | memray\\x00\\x0b | is a recording of memray",
                "out.prof | {\\x29\\x03\\x08 | is a profile of Python's cProfile",
                "snapshot | \\x80\\x04\\x95 | is a pickle of Python",
                "a.out | \\x7fELF\\x02 | is a program, not a recording; `inferscope run a.out`",
                "serve | #!/bin/sh\\n | is a program, not a recording; `inferscope run serve`",
                "serve.py | import time\\n | is a program, not a recording; `inferscope run python serve.py`",
                "a.json | [{\"id\":1,\"model_name\":\"r\",\"timestamps\":[{\"name\":\"REQUEST_START\",\"ns\":1}]}] | is a trace of Triton Inference Server",
                "a_kernel_trace.csv | \"Kind\",\"Agent_Id\",\"Queue_Id\" | is a table of rocprofv3",
                "a.csv | Start (ns),Duration (ns),CorrId | is a table that `nsys stats` prints",
                "a.pftrace | \\x0a\\x10\\x50 | is a trace of Perfetto; traceconv json a.pftrace",
                "a.ncu-rep | NVR\\x00 | is a report of Nsight Compute",
            })
    void aFileOfAnotherKindIsNamed(String name, String content, String expected) {
        byte[] bytes = Pattern.compile("\\\\(?:n|t|x(..))")
                .matcher(content)
                .replaceAll(c -> switch (c.group().charAt(1)) {
                    case 'n' -> "\n";
                    case 't' -> "\t";
                    default -> String.valueOf((char) Integer.parseInt(c.group(1), 16));
                })
                .getBytes(StandardCharsets.ISO_8859_1);

        assertThat(complaint(TraceFile.of(folder, name, bytes)))
                .startsWith(expected)
                .contains("; ");
    }
}
