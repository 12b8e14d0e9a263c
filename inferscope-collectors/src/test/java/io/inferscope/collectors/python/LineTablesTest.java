package io.inferscope.collectors.python;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Line tables against the interpreter that wrote them: every instruction of some hundred functions. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class LineTablesTest {
    static List<Interpreters.Interpreter> interpreters() throws IOException {
        return Interpreters.versions();
    }

    @ParameterizedTest
    @MethodSource("interpreters")
    void everyInstructionHasTheLineThatTheInterpreterSays(Interpreters.Interpreter interpreter) throws Exception {
        int minor = Interpreters.minor(interpreter);
        Process program =
                interpreter.start("src/test/resources/python/lines.py").start();
        int functions = 0;
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(program.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ", -1);
                byte[] table = HexFormat.of().parseHex(words[2].equals("-") ? "" : words[2]);
                LineTables decoded = LineTables.decode(minor, table, Integer.parseInt(words[1]));
                assertSame(words[3], decoded.lines(), line);
                assertThat(decoded.columns().length > 0).isEqualTo(minor >= 11);
                if (minor >= 11) {
                    assertSame(words[4], decoded.columns(), line);
                }
                functions++;
            }
        }
        assertThat(program.waitFor()).isZero();
        assertThat(functions).isGreaterThan(200);
    }

    private static void assertSame(String text, int[] decoded, String function) {
        String[] expected = text.split(",", -1);
        for (int unit = 0; unit < expected.length; unit++) {
            int found = decoded[Math.min(unit, decoded.length - 1)];
            int right = Integer.parseInt(expected[unit]);
            if (found != right) { // A million times: too often for an assertion of its own.
                assertThat(found).as("instruction %s of %s", unit, function).isEqualTo(right);
            }
        }
    }
}
