package io.inferscope.collectors.procfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.procfs.SystemCalls.Arguments;
import io.inferscope.timeline.WaitReason;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ProcTextTest {
    @Test
    void nameWithBlanksAndParenthesesDoesNotShiftTheFields() {
        byte[] stat = "42 (a) R 1 (b)) S 7 8 9\n".getBytes(StandardCharsets.US_ASCII);
        int from = ProcText.stateIndex(stat, stat.length);
        assertThat((char) stat[from]).isEqualTo('S');
        assertThat(ProcText.name(stat, stat.length)).isEqualTo("a) R 1 (b)");
        assertThat(ProcText.number(stat, from, stat.length, 1)).isEqualTo(7);
        assertThat(ProcText.number(stat, from, stat.length, 3)).isEqualTo(9);
        assertThat(ProcText.number(stat, from, stat.length, 4)).isZero();
    }

    @Test
    void schedstatIsThreeNumbers() {
        byte[] text = "1100531 3475 5\n".getBytes(StandardCharsets.US_ASCII);
        assertThat(ProcText.number(text, 0, text.length, 0)).isEqualTo(1_100_531);
        assertThat(ProcText.number(text, 0, text.length, 1)).isEqualTo(3_475);
        assertThat(ProcText.number(text, 0, text.length, 2)).isEqualTo(5);
    }

    @Test
    void garbageIsNumberZero() {
        byte[] text = "\0\0)".getBytes(StandardCharsets.US_ASCII);
        assertThat(ProcText.number(text, 0, text.length, 5)).isZero();
        assertThat(ProcText.name(text, text.length)).isEmpty();
        assertThat(ProcText.stateIndex(new byte[0], 0)).isZero();
    }

    @Test
    void systemCallsAreNumberedPerArchitecture() {
        SystemCalls x86 = SystemCalls.of("amd64");
        SystemCalls arm = SystemCalls.of("aarch64");
        assertThat(x86.call(202))
                .isEqualTo(arm.call(98))
                .isEqualTo(new SystemCalls.Call("futex", WaitReason.FUTEX, Arguments.FUTEX));
        assertThat(x86.call(230)).isEqualTo(arm.call(115));
        assertThat(x86.call(0))
                .isEqualTo(arm.call(63))
                .isEqualTo(new SystemCalls.Call("read", WaitReason.UNKNOWN, Arguments.DESCRIPTOR));
        assertThat(x86.call(39)).as("getpid never blocks").isNull();
    }
}
