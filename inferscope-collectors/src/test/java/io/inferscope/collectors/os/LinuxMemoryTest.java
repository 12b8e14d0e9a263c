package io.inferscope.collectors.os;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Reading memory: this process' own, which the kernel treats like any other's. */
@EnabledOnOs(OS.LINUX)
class LinuxMemoryTest {
    private final LinuxMemory memory = new LinuxMemory();
    private final MemoryBatch batch = new MemoryBatch();
    private final int self = (int) ProcessHandle.current().pid();

    @Test
    void rangesAroundOneThatIsNotMappedAreReadAllTheSame() {
        assertRangesAreRead();
        assertThat(memory.systemCalls()).isEqualTo(2); // It stops at the one, and goes on behind it.
    }

    @Test
    void withoutTheCallMemoryIsReadThroughProc() {
        memory.assumeCallMissing();
        assertRangesAreRead();
    }

    private void assertRangesAreRead() {
        try (Memory there = new Memory(64)) {
            there.setLong(0, 0x0123_4567_89ab_cdefL);
            there.setInt(40, -7);
            long address = Pointer.nativeValue(there);
            int first = batch.add(address, 8);
            int unmapped = batch.add(0x10, 8);
            int last = batch.add(address + 32, 16);
            assertThat(memory.read(self, batch)).isZero();
            assertThat(batch.isRead(first)).isTrue();
            assertThat(batch.getLong(batch.offset(first))).isEqualTo(0x0123_4567_89ab_cdefL);
            assertThat(batch.isRead(unmapped)).isFalse();
            assertThat(batch.isRead(last)).isTrue();
            assertThat(batch.getInt(batch.offset(last) + 8)).isEqualTo(-7);
        }
    }

    @Test
    void moreRangesThanOneCallTakesAreReadByMore() {
        try (Memory there = new Memory(3000 * 8L)) {
            for (int i = 0; i < 3000; i++) {
                there.setLong(i * 8L, i);
                batch.add(Pointer.nativeValue(there) + i * 8L, 8);
            }
            assertThat(memory.read(self, batch)).isZero();
            for (int i = 0; i < 3000; i++) {
                assertThat(batch.getLong(batch.offset(i))).isEqualTo(i);
            }
        }
    }

    @Tag("process")
    @Test
    void processThatIsGoneIsToldFromOneThatCannotBeRead() throws Exception {
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        batch.add(0x1000, 8);
        assertThat(memory.read((int) gone.pid(), batch)).isEqualTo(OperatingSystem.NO_SUCH_PROCESS);
    }

    @Test
    void whatDoesNotFitIsRefusedNotOverwritten() {
        assertThat(batch.add(0x1000, 1 << 30)).isEqualTo(MemoryBatch.FULL);
        assertThat(batch.count()).isZero();
    }
}
