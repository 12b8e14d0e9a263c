package io.inferscope.collectors.python;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Instructions of one minor version of CPython, and the place on a frame's value stack of the object that an
 * instruction uses: the called object, the operands of an operator, an iterator. The depth of the stack at an
 * instruction follows from the bytecode alone, because all paths to an instruction have the same depth.
 *
 * <pre>
 *   value stack at CALL 2:    0 .. below .. | callable, self or NULL | a | b |      3.13, 3.14
 *                             0 .. below .. | NULL, callable         | a | b |      3.11, 3.12: or method, self
 *                             0 .. below .. | callable               | a | b |      3.9, 3.10: CALL_FUNCTION
 *                                             ^ depth - 1 + what the call adds to the depth
 * </pre>
 *
 * Up to 3.10, handlers of exceptions have no table: the instruction that sets one up jumps there with a depth of six
 * more.
 *
 * Numbers and effects are those of {@code dis.stack_effect}, written by scripts/bytecode_table.py.
 */
final class Bytecode {
    /** At an instruction that uses no object, or whose use is unknown. Below it: see {@link #unitsBehindCall}. */
    static final short NO_USE = -1;

    /** A use: the called object, or the place after it if that place is empty. */
    static final int CALLED = 0;

    /** A use: the left one of two operands. */
    static final int OPERANDS = 1;

    /** A use: the one object that an operator works on. */
    static final int OPERAND = 2;

    /** A use: the iterator whose next value is requested. */
    static final int ITERATOR = 3;

    /** Longer code is not followed. */
    static final int MAX_UNITS = 1 << 16;

    /** Instructions that drop the result of a call, or store it and drop what was there. */
    private static final Set<String> KEEPS_RESULT = Set.of(
            "POP_TOP",
            "STORE_FAST",
            "STORE_NAME",
            "STORE_GLOBAL",
            "STORE_DEREF",
            "STORE_FAST_LOAD_FAST",
            "STORE_FAST_STORE_FAST");

    private static final Set<String> CALLS =
            Set.of("CALL", "CALL_KW", "CALL_FUNCTION_EX", "CALL_FUNCTION", "CALL_FUNCTION_KW", "CALL_METHOD");

    /** Operators have an instruction each, up to 3.10. */
    private static final Pattern OPERATOR = Pattern.compile("(BINARY|INPLACE)_[A-Z_]+");

    private static final int USE_BITS = 2;
    private static final int MAX_PLACE = 8191;

    private static final String TABLE = "bytecode.txt";
    private static final int UNSEEN = -1;

    /** Instructions after which control does not continue with the next one. */
    private static final Set<String> LAST = Set.of(
            "RETURN_VALUE",
            "RETURN_CONST",
            "RAISE_VARARGS",
            "RERAISE",
            "INTERPRETER_EXIT",
            "JUMP_FORWARD",
            "JUMP_ABSOLUTE",
            "JUMP_BACKWARD",
            "JUMP_BACKWARD_NO_INTERRUPT");

    private static final Map<Integer, Bytecode> VERSIONS = read();

    private final @Nullable Instruction[] instructions = new Instruction[256];
    private final Map<String, Instruction> byName = new HashMap<>();

    /**
     * An instruction.
     *
     * @param caches inline cache units after it, which are not instructions
     * @param effect how it changes the depth of the stack
     * @param jump the same if it jumps, null if it never jumps
     * @param isPlace whether its argument is the place that it jumps to, rather than the distance
     */
    private record Instruction(
            String name,
            int caches,
            Effect effect,
            @Nullable Effect jump,
            boolean isPlace) {
        /** Returns the instruction's use, given the depth of the stack. */
        short use(int argument, int depth, int minor) {
            return switch (name) {
                case "PRECALL" -> packed(depth - 2 - argument, CALLED);
                case "CALL", "CALL_KW", "CALL_FUNCTION_EX", "CALL_FUNCTION", "CALL_FUNCTION_KW", "CALL_METHOD" ->
                    packed(depth - 1 + effect.of(argument), CALLED);
                case "BINARY_OP", "BINARY_SUBSCR", "COMPARE_OP" -> packed(depth - 2, OPERANDS);
                case "STORE_SUBSCR" -> packed(depth - 2, OPERAND);
                case "BINARY_SLICE", "STORE_SLICE" -> packed(depth - 3, OPERAND);
                case "UNARY_NEGATIVE", "UNARY_INVERT", "UNARY_POSITIVE", "CONTAINS_OP", "GET_ITER" ->
                    packed(depth - 1, OPERAND);
                // Up to 3.11, the method __exit__ replaces its object before __enter__ is called: Python/ceval.c.
                case "BEFORE_WITH", "SETUP_WITH" -> packed(depth - 1, minor <= 11 ? CALLED : OPERAND);
                // From 3.15 on, an index, which lists and tuples use in place of an iterator, lies above it.
                case "FOR_ITER" -> packed(minor < 15 ? depth - 1 : depth - 2, ITERATOR);
                default -> OPERATOR.matcher(name).matches() ? packed(depth - 2, OPERANDS) : NO_USE;
            };
        }

        private static short packed(int place, int how) {
            return place < 0 || place > MAX_PLACE ? NO_USE : (short) (place << USE_BITS | how);
        }
    }

    /** How the depth of the stack changes: three factors, or a number for each of 16 arguments. */
    private static final class Effect {
        private final int[] numbers;

        Effect(int[] numbers) {
            this.numbers = numbers;
        }

        int of(int argument) {
            return numbers.length == 3
                    ? numbers[0] + numbers[1] * argument + numbers[2] * (argument & 1)
                    : numbers[argument & 15];
        }
    }

    private final int minor;

    private Bytecode(int minor) {
        this.minor = minor;
    }

    /** Returns the bytecode of CPython 3.{@code minor}, null for an unknown version. */
    static @Nullable Bytecode of(int minor) {
        return VERSIONS.get(minor);
    }

    private static Map<Integer, Bytecode> read() {
        try (InputStream stream = Objects.requireNonNull(Bytecode.class.getResourceAsStream(TABLE), TABLE)) {
            Map<Integer, Bytecode> versions = new HashMap<>();
            Bytecode version = new Bytecode(0);
            for (String line : new String(stream.readAllBytes(), StandardCharsets.UTF_8).split("\n", 0)) {
                if (line.startsWith("CPython 3.")) {
                    version = new Bytecode(Integer.parseInt(line.substring("CPython 3.".length())));
                    versions.put(version.minor, version);
                } else {
                    version.add(line.split(" ", -1));
                }
            }
            return versions;
        } catch (IOException cannotBe) {
            throw new UncheckedIOException(cannotBe);
        }
    }

    private void add(String[] words) {
        Instruction instruction = words[2].equals("=") ? byName.get(words[3]) : instruction(words);
        instructions[Integer.parseInt(words[0])] = instruction;
        byName.put(words[1], instruction);
    }

    private static Instruction instruction(String[] words) {
        int place = Arrays.asList(words).indexOf("goto");
        int jump = Math.max(place, Arrays.asList(words).indexOf("jump"));
        int end = jump < 0 ? words.length : jump;
        return new Instruction(
                words[1],
                Integer.parseInt(words[2]),
                effect(words, 3, end),
                jump < 0 ? null : effect(words, jump + 1, words.length),
                place >= 0);
    }

    private static Effect effect(String[] words, int from, int end) {
        return new Effect(
                Arrays.stream(words, from, end).mapToInt(Integer::parseInt).toArray());
    }

    /**
     * Returns the use of the instruction at each code unit: see {@link #place} and {@link #how}; {@link #NO_USE} for
     * none.
     *
     * @param code the instructions, specialised ones among them
     * @param handlers the exception table, Objects/exception_handling_notes.txt; empty up to 3.10
     * @param stackSize how deep the stack may get
     * @return null for invalid code: unknown instructions, or two depths at one place
     */
    short @Nullable [] uses(byte[] code, byte[] handlers, int stackSize) {
        int units = code.length / 2;
        if (units == 0 || units > MAX_UNITS) {
            return null;
        }
        short[] depths = new short[units];
        Arrays.fill(depths, (short) UNSEEN);
        short[] uses = new short[units];
        Arrays.fill(uses, NO_USE);
        Flow flow = new Flow(code, depths, uses, stackSize);
        flow.reach(0, 0);
        flow.reachHandlers(handlers);
        return flow.run() ? uses : null;
    }

    /** Returns the place on the value stack that an instruction uses; the lowest is 0. */
    static int place(int use) {
        return use >> USE_BITS;
    }

    /**
     * Returns how many code units after a call an instruction stands that drops or stores its result; 0 for any other
     * one. Such an instruction frees what it drops: the result, or the previous result.
     */
    static int unitsBehindCall(int use) {
        return Math.max(0, NO_USE - use);
    }

    /** Returns how that is used: {@link #CALLED}, {@link #OPERANDS}, {@link #OPERAND} or {@link #ITERATOR}. */
    static int how(int use) {
        return use & (1 << USE_BITS) - 1;
    }

    /** Walks along all ways through the instructions. */
    private final class Flow {
        private final byte[] code;
        private final short[] depths;
        private final short[] uses;
        private final int stackSize;
        private final boolean[] jumpedTo;
        private int[] pending = new int[64];
        private int pendingCount;
        private boolean understood = true;

        Flow(byte[] code, short[] depths, short[] uses, int stackSize) {
            this.code = code;
            this.depths = depths;
            this.uses = uses;
            this.stackSize = stackSize;
            this.jumpedTo = new boolean[uses.length];
        }

        void reach(int unit, int depth) {
            if (unit < 0 || unit >= depths.length || depth < 0 || depth > stackSize) {
                understood = false;
            } else if (depths[unit] == UNSEEN) {
                depths[unit] = (short) depth;
                if (pendingCount == pending.length) {
                    pending = Arrays.copyOf(pending, 2 * pendingCount);
                }
                pending[pendingCount++] = unit;
            } else {
                understood &= depths[unit] == depth;
            }
        }

        /**
         * Adds the begins of handlers. A handler's stack has the depth in its entry, the failed instruction if
         * requested, and the exception.
         */
        void reachHandlers(byte[] table) {
            int[] at = {0};
            while (at[0] < table.length) {
                number(table, at);
                number(table, at);
                int target = number(table, at);
                int depth = number(table, at);
                reach(target, (depth >> 1) + (depth & 1) + 1);
            }
        }

        /** Reads a number of six bits per byte, the highest first; bit 6 is set if more bytes follow. */
        private static int number(byte[] table, int[] at) {
            int value = 0;
            for (boolean more = true; more && at[0] < table.length; at[0]++) {
                value = value << 6 | (table[at[0]] & 63);
                more = (table[at[0]] & 64) != 0;
            }
            return value;
        }

        boolean run() {
            while (understood && pendingCount > 0) {
                follow(pending[--pendingCount]);
            }
            for (int unit = 0; unit < uses.length; unit++) { // Behind a jump, another call may have made the result.
                uses[unit] = jumpedTo[unit] && uses[unit] < NO_USE ? NO_USE : uses[unit];
            }
            return understood;
        }

        private void follow(int unit) {
            int opcode = code[2 * unit] & 0xff;
            int argument = code[2 * unit + 1] & 0xff;
            int at = unit;
            int depth = depths[unit];
            Instruction instruction = instructions[opcode];
            while (instruction != null && instruction.name().equals("EXTENDED_ARG") && at + 1 < depths.length) {
                at++;
                instruction = instructions[code[2 * at] & 0xff];
                argument = argument << 8 | (code[2 * at + 1] & 0xff);
            }
            if (instruction == null) {
                understood = false;
                return;
            }
            int next = at + 1 + instruction.caches();
            if (uses[at] == NO_USE) {
                uses[at] = instruction.use(argument, depth, minor);
            }
            Effect jump = instruction.jump();
            if (jump != null) {
                int distance = minor == 9 ? argument / 2 : argument; // 3.9 counts bytes.
                int way = instruction.name().contains("BACKWARD") ? -distance : distance;
                int target = instruction.isPlace() ? distance : next + way;
                reach(target, depth + jump.of(argument));
                if (understood) {
                    jumpedTo[target] = true;
                }
            }
            if (CALLS.contains(instruction.name()) && next < uses.length) {
                Instruction after = instructions[code[2 * next] & 0xff];
                if (after != null && KEEPS_RESULT.contains(after.name())) {
                    uses[next] = (short) (NO_USE - (next - at));
                }
            }
            if (!LAST.contains(instruction.name())) {
                reach(next, depth + effect(instruction, argument));
            }
        }

        private static int effect(Instruction instruction, int argument) {
            // the numbers of names before and after the starred name
            boolean two = instruction.name().equals("UNPACK_EX");
            return instruction.effect().of(two ? (argument & 255) + (argument >> 8) : argument);
        }
    }
}
