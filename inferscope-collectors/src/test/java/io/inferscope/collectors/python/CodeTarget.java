package io.inferscope.collectors.python;

import java.util.Arrays;

/** Reads bytes as the tables of a code object in another process. Jazzer calls it: {@code lab/fuzz}. */
public final class CodeTarget {
    private static final int MOST_LINES = 1 << 20;
    private static final int[] MINORS = {9, 10, 11, 12, 13, 14};

    private CodeTarget() {}

    /** Throws where code that makes no sense is anything but lines, or instructions of which nothing is known. The first byte is the version. */
    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length < 2) {
            return;
        }
        int minor = MINORS[Math.floorMod(input[0], MINORS.length)];
        byte[] table = Arrays.copyOfRange(input, 2, input.length);
        if (LineTables.decode(minor, table, input[1]).lines().length > MOST_LINES) {
            throw new AssertionError("more lines than the longest code has");
        }
        Bytecode bytecode = Bytecode.of(minor);
        if (bytecode == null) {
            return;
        }
        int half = table.length / 2;
        int stackSize = input[1] & 0x7f;
        short[] uses =
                bytecode.uses(Arrays.copyOf(table, half), Arrays.copyOfRange(table, half, table.length), stackSize);
        for (int i = 0; uses != null && i < uses.length; i++) {
            if (uses[i] != Bytecode.NO_USE && Bytecode.place(uses[i]) > stackSize) {
                throw new AssertionError("unit " + i + " uses place " + Bytecode.place(uses[i]) + " of " + stackSize);
            }
        }
    }
}
