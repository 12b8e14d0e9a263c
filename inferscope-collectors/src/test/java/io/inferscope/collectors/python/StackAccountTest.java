package io.inferscope.collectors.python;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.scope.spool.SpoolWriter;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One thread's samples, as they are stored. Stack 1 is {@code guard}, stack 2 a library's function upon it. */
class StackAccountTest {
    private static final long MS = 1_000_000;
    private static final long BASE_NS = 1_000_000_000_000L;

    @TempDir
    private Path folder;

    @Test
    void aThreadThatSleepsOrWaitsForTheGilRunsNoCode() throws Exception {
        assertThat(stored(StackAccount.BLOCKED, 800_000)).containsExactly("0 to 20000 us: guard, gil 4");
        assertThat(stored(2, 800_000)).containsExactly("0 to 20000 us: guard, gil 2");
    }

    @Test
    void aStackOfARunningThreadIsThatOfItsNativeSample() throws Exception {
        assertThat(stored(StackAccount.NEITHER, 800_000)).containsExactly("0 to 20000 us: gemm, gil 3");
    }

    /** The thread lost its CPU in between, and may have gone on to another line. */
    @Test
    void aNativeSampleFromLongAfterTellsNothing() throws Exception {
        assertThat(stored(StackAccount.NEITHER, 3 * MS)).containsExactly("0 to 20000 us: guard, gil 3");
    }

    /** A look at 10 ms, and a native sample so long after it. */
    private List<String> stored(int gil, long apartNs) throws Exception {
        Path spool = Files.createDirectory(folder.resolve("gil" + gil));
        try (SpoolWriter writer = SpoolWriter.open(spool, "host", 0, 1 << 20)) {
            writer.write(new SpoolRecord.ThreadName(2, "main", 1));
            writer.write(new SpoolRecord.Frame(1, "guard", "app.py", 4, 0));
            writer.write(new SpoolRecord.Frame(2, "gemm", "libblas.so", 0, 1));
            writer.write(new SpoolRecord.Stack(1, 0, 1));
            writer.write(new SpoolRecord.Stack(2, 1, 2));
            StackAccount account = new StackAccount(writer, 1, 2);
            account.add(BASE_NS - 10 * MS, 0, 0, StackAccount.NEITHER, 0, true);
            account.add(BASE_NS + 10 * MS, 1, 5 << 16 | 12, gil, 0, true);
            long sampledNs = BASE_NS + 10 * MS + apartNs;
            if (account.isBeneath(sampledNs)) {
                account.beneath(2, sampledNs);
            }
            account.end(BASE_NS + 30 * MS);
        }
        Timeline timeline = CoreFormats.load(spool);
        return IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == RowKind.STACK_SAMPLE)
                .mapToObj(row -> described(timeline, row))
                .toList();
    }

    private static String described(Timeline timeline, int row) {
        List<String> frames = timeline.stacks().frames((int) timeline.attribute(row, Attribute.STACK));
        long columns = timeline.attribute(row, Attribute.COLUMNS);
        assertThat(columns).isEqualTo(5 << 16 | 12);
        return "%d to %d us: %s, gil %d"
                .formatted(
                        (timeline.startNs(row) - BASE_NS) / 1000,
                        (timeline.endNs(row) - BASE_NS) / 1000,
                        frames.get(frames.size() - 1).contains("gemm") ? "gemm" : "guard",
                        timeline.attribute(row, Attribute.GIL));
    }
}
