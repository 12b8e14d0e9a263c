package io.inferscope.collectors.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Layouts that free-threaded builds describe, against offsetof over the headers of the same version. */
class RuntimeLayoutsTest {
    private static final long COOKIE = 0x7970_6775_6265_6478L;

    /** _Py_DebugOffsets of a free-threaded CPython 3.13.5 behind the cookie, as read from a process. */
    private static final long[] WORDS_13 = {
        51185136, 1, 328320, 608, 632, 215616, 7272, 7264, 7344, 7400, 7664, 7648, 7656, 16, 7760, 0, 7784, 7776, 304,
        0, 8, 16, 72, 152, 160, 232, 32, 80, 8, 0, 56, 72, 70, 224, 128, 136, 144, 152, 84, 68, 112, 120, 216, 32, 24,
        432, 40, 104, 184, 48, 40, 32, 56, 40, 32, 64, 48, 56, 40, 32, 48, 32, 40, 56, 32, 48, 80, 48, 32, 56
    };

    /** The same of 3.14.3. */
    private static final long[] WORDS_14 = {
        51250160, 1, 362304, 784, 808, 246656, 7280, 7272, 7344, 7360, 7408, 7712, 7696, 7704, 16, 7808, 0, 7832, 7824,
        8024, 17628, 824, 0, 8, 16, 72, 152, 160, 232, 32, 88, 8, 0, 56, 80, 78, 64, 72, 240, 128, 136, 144, 152, 84,
        68, 112, 120, 232, 224, 32, 24, 432, 40, 104, 184, 56, 48, 32, 56, 40, 32, 216, 40, 56, 48, 64, 48, 56, 40, 32,
        48, 32, 40, 56, 32, 48, 80, 48, 32, 56
    };

    /** The same of 3.15.0rc2. */
    private static final long[] WORDS_15 = {
        51314882, 1, 406016, 912, 936, 247104, 7272, 7264, 7336, 7352, 7400, 7592, 7576, 7584, 16, 7744, 0, 7768, 7760,
        7960, 17628, 888, 0, 8, 16, 72, 80, 88, 96, 176, 184, 256, 32, 36, 40, 136, 288, 0, 88, 8, 0, 56, 80, 78, 64,
        72, 240, 128, 136, 144, 152, 84, 68, 112, 120, 232, 224, 32, 24, 440, 40, 104, 184, 48, 304, 968, 904, 56, 48,
        32, 56, 40, 32, 216, 40, 56, 48, 64, 48, 56, 40, 32, 48, 32, 40, 56, 32, 48, 80, 48, 32, 56
    };

    static RuntimeLayout freeThreaded(int minor) throws UnreadableRuntime {
        return RuntimeLayouts.described(
                minor,
                words(
                        switch (minor) {
                            case 13 -> WORDS_13;
                            case 14 -> WORDS_14;
                            default -> WORDS_15;
                        }));
    }

    private static long[] words(long[] behindCookie) {
        long[] words = LongStream.concat(LongStream.of(COOKIE), Arrays.stream(behindCookie))
                .toArray();
        return Arrays.copyOf(words, RuntimeLayouts.DEBUG_OFFSETS_BYTES / 8);
    }

    @Test
    void freeThreadedBuildsAreRead() throws Exception {
        RuntimeLayout layout = freeThreaded(13);
        assertThat(layout)
                .isEqualTo(new RuntimeLayout(
                        13,
                        632,
                        RuntimeLayout.NONE,
                        new RuntimeLayout.Interpreter(7264, 7344, 16),
                        new RuntimeLayout.ThreadState(8, 152, 160, 72, RuntimeLayout.NONE, 232),
                        new RuntimeLayout.Frame(8, 0, 56, 70, 3, 72),
                        new RuntimeLayout.Code(84, 128, 136, 144, 152, 216),
                        56,
                        true));
        assertThat(layout.stackSize()).isEqualTo(80);
        assertThat(layout.localsCount()).isEqualTo(88);
        assertThat(layout.exceptionTable()).isEqualTo(56);
        assertThat(layout.kindBit()).isEqualTo(2);
    }

    @Test
    void threadsOfNewerOnesExecuteCopiesOfTheInstructions() throws Exception {
        RuntimeLayout layout = freeThreaded(14);
        assertThat(layout.frame()).isEqualTo(new RuntimeLayout.Frame(8, 0, 56, 78, 3, 80));
        assertThat(layout.code()).isEqualTo(new RuntimeLayout.Code(84, 128, 136, 144, 152, 232, 224));
        assertThat(layout.kindBit()).isEqualTo(8);
    }

    @Test
    void fieldsThatAThreadGotIn315AreSkipped() throws Exception {
        assertThat(freeThreaded(15))
                .isEqualTo(new RuntimeLayout(
                        15,
                        936,
                        RuntimeLayout.NONE,
                        new RuntimeLayout.Interpreter(7264, 7336, 16),
                        new RuntimeLayout.ThreadState(8, 176, 184, 72, RuntimeLayout.NONE, 256),
                        new RuntimeLayout.Frame(8, 0, 56, 78, 3, 80),
                        new RuntimeLayout.Code(84, 128, 136, 144, 152, 232, 224),
                        56,
                        true));
    }

    @Test
    void objectsAndTheGilBeginWithMoreFieldsWithoutAGil() throws Exception {
        RuntimeLayout layout = freeThreaded(14);
        assertThat(layout.type()).isEqualTo(24);
        assertThat(layout.size()).isEqualTo(32);
        assertThat(layout.gilBytes()).isEqualTo(28);
        assertThat(layout.isLockOfGil(1000, 1039)).isFalse();
        assertThat(layout.isLockOfGil(1000, 1040)).isTrue();
        assertThat(RuntimeLayouts.table(12).isLockOfGil(1000, 1032)).isTrue();
        assertThat(RuntimeLayouts.table(12).type()).isEqualTo(8);
    }

    @Test
    void runtimeThatIsNotDescribedYetIsTriedAgainLater() {
        long[] words = new long[RuntimeLayouts.DEBUG_OFFSETS_BYTES / 8];
        assertThatThrownBy(() -> RuntimeLayouts.described(14, words)).hasMessageContaining("not there yet");
    }
}
