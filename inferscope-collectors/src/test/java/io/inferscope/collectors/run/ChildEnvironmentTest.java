package io.inferscope.collectors.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChildEnvironmentTest {
    @Test
    void untouchedEntriesKeepTheirBytesAndOrder() {
        byte[] odd = {'X', '=', (byte) 0xff, (byte) 0xfe};
        List<byte[]> entries = new ChildEnvironment(List.of(odd, ascii("EMPTY="), ascii("no equals sign"))).entries();
        assertThat(entries).containsExactly(odd, ascii("EMPTY="), ascii("no equals sign"));
    }

    @Test
    void pythonPathIsPrepended() {
        assertThat(text(new ChildEnvironment(List.of(ascii("PYTHONPATH=/mine"))).prepend("PYTHONPATH", ascii("/is"))))
                .containsExactly("PYTHONPATH=/is:/mine");
    }

    @Test
    void emptyPathGetsNoColonThatWouldMeanTheWorkingFolder() {
        assertThat(text(new ChildEnvironment(List.of(ascii("PYTHONPATH="))).prepend("PYTHONPATH", ascii("/is"))))
                .containsExactly("PYTHONPATH=/is");
        assertThat(text(new ChildEnvironment(List.of()).prepend("PYTHONPATH", ascii("/is"))))
                .containsExactly("PYTHONPATH=/is");
    }

    @Test
    void variablesAreReplacedInPlaceAndRemoved() {
        ChildEnvironment environment =
                new ChildEnvironment(List.of(ascii("A=1"), ascii("LC_ALL=C.UTF-8"), ascii("B=2")));
        assertThat(text(environment.set("A", ascii("9")).unset("LC_ALL").set("NEW", ascii("n"))))
                .containsExactly("A=9", "B=2", "NEW=n");
    }

    @Test
    void argumentsAreFoundAgainByteForByte() {
        List<byte[]> line = new ArrayList<>(List.of(ascii("java"), ascii("Main"), ascii("run"), ascii("prog")));
        line.add(new byte[] {(byte) 0xe9});
        List<String> words = List.of("prog", new String(new byte[] {(byte) 0xe9}, StandardCharsets.UTF_8));
        assertThat(NativeText.arguments(words, line, StandardCharsets.UTF_8))
                .containsExactly(ascii("prog"), new byte[] {(byte) 0xe9});
        assertThat(NativeText.arguments(List.of("other"), line, StandardCharsets.UTF_8))
                .containsExactly(ascii("other"));
    }

    private static List<String> text(ChildEnvironment environment) {
        return environment.entries().stream()
                .map(entry -> new String(entry, StandardCharsets.US_ASCII))
                .toList();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
