package io.inferscope.collectors.python;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The depth of the value stack, followed through the functions of the interpreters' own libraries. */
@EnabledOnOs(OS.LINUX)
class BytecodeTest {
    private static final Path TABLE = Path.of("src/main/resources/io/inferscope/collectors/python/bytecode.txt");

    static List<Interpreters.Interpreter> versions() throws IOException {
        return Interpreters.versions();
    }

    static List<Interpreters.Interpreter> interpreters() throws IOException {
        return Interpreters.some();
    }

    @ParameterizedTest
    @MethodSource("interpreters")
    @Tag("process")
    void allWaysToAnInstructionLeadToTheSameDepth(Interpreters.Interpreter interpreter) throws Exception {
        int minor = Interpreters.minor(interpreter);
        Bytecode bytecode = Bytecode.of(minor);
        Process program =
                interpreter.start("src/test/resources/python/bytecode.py").start();
        String[] functions = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8).split("\n", 0);
        List<String> lost = new ArrayList<>();
        int calls = 0;
        for (String function : functions) {
            String[] words = function.split(" ", -1);
            byte[] handlers = HexFormat.of().parseHex(words[2].equals("-") ? "" : words[2]);
            short[] uses = bytecode.uses(HexFormat.of().parseHex(words[1]), handlers, Integer.parseInt(words[0]));
            if (uses == null) {
                lost.add(words[3]);
            } else {
                for (short use : uses) {
                    calls += use < 0 || Bytecode.how(use) != Bytecode.CALLED ? 0 : 1;
                }
            }
        }

        assertThat(program.waitFor()).isZero();
        assertThat(functions).hasSizeGreaterThan(500);
        assertThat(lost).isEmpty();
        assertThat(calls).isGreaterThan(4000);
    }

    @ParameterizedTest
    @MethodSource("versions")
    @Tag("process")
    void theTableIsWhatTheInterpreterSays(Interpreters.Interpreter interpreter) throws Exception {
        int minor = Interpreters.minor(interpreter);
        Process program = interpreter.start("../scripts/bytecode_table.py").start();
        String table = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(table).startsWith("CPython 3." + minor + "\n");
        assertThat(Files.readString(TABLE)).contains(table);
    }

    /** {@code f(1, g(2))} of 3.12: both lie where their NULL was pushed. */
    @Test
    void aCallInsideACallLiesUponIt() {
        byte[] code = HexFormat.of()
                .parseHex("9700" + "0200" + "6500" + "6400" + "0200" + "6501"
                        + "6401" // RESUME, PUSH_NULL, f, 1, PUSH_NULL, g, 2
                        + "ab01000000000000" // CALL 1
                        + "ab02000000000000" // CALL 2
                        + "5300"); // RETURN_VALUE

        short[] uses = Bytecode.of(12).uses(code, new byte[0], 6);

        assertThat(Bytecode.place(uses[7])).isEqualTo(3);
        assertThat(Bytecode.place(uses[11])).isZero();
        assertThat(uses[8]).isEqualTo(Bytecode.NO_USE);
        assertThat(Bytecode.of(12).uses(code, new byte[0], 5)).isNull();
    }

    /** {@code a = f(); g()} of 3.12: what is stored over, and what is dropped, was made by the call before. */
    @Test
    void theResultOfACallIsFreedBehindIt() {
        byte[] code = HexFormat.of()
                .parseHex("9700" + "0200" + "6500" + "ab00000000000000" // RESUME, PUSH_NULL, f, CALL 0
                        + "5a01" + "0200" + "6502" + "ab00000000000000" // STORE_NAME a, PUSH_NULL, g, CALL 0
                        + "0100" + "7900"); // POP_TOP, RETURN_CONST

        short[] uses = Bytecode.of(12).uses(code, new byte[0], 2);

        assertThat(Bytecode.unitsBehindCall(uses[7])).isEqualTo(4);
        assertThat(Bytecode.unitsBehindCall(uses[14])).isEqualTo(4);
        assertThat(Bytecode.unitsBehindCall(uses[3])).isZero();
        assertThat(Bytecode.unitsBehindCall(uses[8])).isZero();
    }

    /** {@code a = f() if b else g()} of 3.12: either call may have made what is stored. */
    @Test
    void aResultOfEitherOfTwoCallsIsOfNeither() {
        byte[] code = HexFormat.of()
                .parseHex("9700" + "6503" + "7207" // RESUME, b, POP_JUMP_IF_FALSE to the other branch
                        + "0200" + "6500" + "ab00000000000000" + "6e06" // PUSH_NULL, f, CALL 0, JUMP_FORWARD
                        + "0200" + "6502" + "ab00000000000000" // PUSH_NULL, g, CALL 0
                        + "5a01" + "7900"); // STORE_NAME a, RETURN_CONST

        short[] uses = Bytecode.of(12).uses(code, new byte[0], 2);

        assertThat(uses).isNotNull();
        assertThat(uses[16]).isEqualTo(Bytecode.NO_USE);
    }
}
