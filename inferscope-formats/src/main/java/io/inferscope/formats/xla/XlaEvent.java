package io.inferscope.formats.xla;

/** One event of an XLA profile, from either of its two files. Mutable and reused for every event. */
final class XlaEvent {
    String name = "";
    long startNs;
    long endNs;
    String hloOp = "";
    String hloModule = "";
    long program;
    /** What the profile says of {@link #hloOp}. */
    HloModules.Instruction hlo = HloModules.Instruction.UNKNOWN;

    String memcpyDetails = "";
    String memsetDetails = "";
    String stepName = "";
    String allocator = "";
    long correlation;

    /** Forgets the event before. */
    void reset() {
        name = "";
        startNs = 0;
        endNs = 0;
        hloOp = "";
        hloModule = "";
        program = 0;
        hlo = HloModules.Instruction.UNKNOWN;
        memcpyDetails = "";
        memsetDetails = "";
        stepName = "";
        allocator = "";
        correlation = 0;
    }
}
