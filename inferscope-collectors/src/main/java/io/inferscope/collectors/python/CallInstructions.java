package io.inferscope.collectors.python;

import java.util.BitSet;

/**
 * Which instructions call something. A frame of Python that is the innermost one, and at such an instruction, runs C: a function of Python
 * would have a frame of its own. Numbers, specialised forms among them: Include/opcode.h of 3.11.7 and 3.12.1.
 */
final class CallInstructions {
    private static final BitSet OF_3_11 =
            of(22, 23, 24, 64, 65, 66, 67, 72, 73, 76, 77, 78, 79, 80, 81, 113, 121, 127, 141, 142, 143, 166, 171);
    private static final BitSet OF_3_12 =
            of(23, 24, 28, 29, 34, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 56, 142, 171, 241, 244);

    private CallInstructions() {}

    private static BitSet of(int... opcodes) {
        BitSet set = new BitSet();
        for (int opcode : opcodes) {
            set.set(opcode);
        }
        return set;
    }

    /** Returns whether an instruction calls something; false in versions of which that is not known. */
    static boolean contains(int minor, int opcode) {
        return switch (minor) {
            case 11 -> OF_3_11.get(opcode);
            case 12 -> OF_3_12.get(opcode);
            default -> false;
        };
    }
}
