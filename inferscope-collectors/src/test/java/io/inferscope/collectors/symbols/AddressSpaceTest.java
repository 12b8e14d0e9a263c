package io.inferscope.collectors.symbols;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.symbols.SourceLines.Place;
import io.inferscope.timeline.fixture.Until;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Looking addresses up in this very process: nothing is read by the thread that asks. */
class AddressSpaceTest {
    private static final long NOW_NS = 5_000_000_000L;

    private final Queue<Runnable> left = new ArrayDeque<>();
    private final AddressSpace space =
            new AddressSpace((int) ProcessHandle.current().pid(), new SymbolTables(left::add, left::add));
    private long address;

    /** The first byte of a function in the JVM's library. */
    @BeforeEach
    void findAFunction() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
            if (line.contains(" r-xp ") && line.endsWith("/libjvm.so")) {
                address = Long.parseUnsignedLong(line.substring(0, line.indexOf('-')), 16) + 0x10_0000;
            }
        }
        assertThat(address).isNotZero();
    }

    @Test
    void anAddressIsNamedOnceItsFileWasReadByAnotherThread() {
        assertThat(space.code(address, NOW_NS)).isNull();
        assertThat(left).hasSize(1); // what is mapped
        left.remove().run();
        assertThat(space.code(address, NOW_NS).file()).endsWith("/libjvm.so");
        assertThat(space.code(address, NOW_NS).function()).startsWith("[").endsWith("000]");
        assertThat(left).hasSize(1); // the functions of that library, asked for once
        left.remove().run();
        assertThat(space.code(address, NOW_NS).file()).endsWith("/libjvm.so");
        assertThat(left).isEmpty();
    }

    @Test
    void anyOtherNumberHasNothingReadAgain() {
        space.code(address, NOW_NS);
        left.remove().run();

        assertThat(space.mappedCode(12)).isNull();
        assertThat(space.code(12, NOW_NS + 1)).isNull();
        assertThat(left).isEmpty();
    }

    /** Code of this JVM's own compilers, in no file. */
    @Test
    void generatedCodeHasALineOnceItsNameIsWritten() throws Exception {
        long generated = Files.readAllLines(Path.of("/proc/self/maps")).stream()
                .filter(line -> line.matches("\\S+ rwxp .* 0 *"))
                .mapToLong(line -> Long.parseUnsignedLong(line.substring(0, line.indexOf('-')), 16))
                .findFirst()
                .orElseThrow();
        Path names = Path.of("/tmp/perf-" + ProcessHandle.current().pid() + ".map");
        try {
            Files.writeString(names, "10 10 JS:~other /srv/a.js:1:1\n");
            space.code(generated, NOW_NS);
            left.remove().run();
            Place place = space.place(generated + 4);
            assertThat(place.lines(false)).isNull();
            Files.writeString(
                    names, Long.toHexString(generated) + " 10 JS:^load /srv/a.js:9:1\n", StandardOpenOption.APPEND);
            Place again = space.place(generated + 4);
            Until.holds(() -> {
                left.forEach(Runnable::run);
                left.clear();
                return again.lines(false) != null;
            });
            assertThat(again.lines(false)).containsExactly(new SourceLines.Line("load", "/srv/a.js", 9));
            assertThat(place.lines(false)).isEqualTo(again.lines(false));
        } finally {
            Files.delete(names);
        }
    }

    @Test
    void mappingsAreReadAgainWhereOtherCodeWasMapped(@TempDir Path folder) throws IOException {
        space.refresh(NOW_NS, true);
        left.remove().run();
        assertThat(space.file(address)).endsWith("/libjvm.so");
        space.refresh(NOW_NS + 1, true);
        assertThat(left).isEmpty(); // Just read.

        Path library = folder.resolve("late.so");
        Files.copy(Path.of(System.getProperty("java.home"), "lib", "libprefs.so"), library);
        System.load(library.toString());
        assertThat(space.mapped(library.toString())).isNull();
        space.refresh(NOW_NS + 1_000_000_000L, true);
        left.remove().run();

        assertThat(space.mapped(library.toString())).isNotNull();
        assertThat(space.file(address)).endsWith("/libjvm.so");
    }
}
