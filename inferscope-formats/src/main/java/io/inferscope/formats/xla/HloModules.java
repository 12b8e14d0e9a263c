package io.inferscope.formats.xla;

import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * XLA's own description of the instructions that kernels compute: the HLO modules in the plane {@code /host:metadata}.
 * Field numbers are those of {@code hlo.proto} and {@code xla_data.proto} in github.com/openxla/xla.
 */
final class HloModules {
    static final String PLANE = "/host:metadata";

    private static final int PROTO_MODULE = 1;
    private static final int MODULE_COMPUTATION = 3;
    private static final int COMPUTATION_INSTRUCTION = 2;
    private static final int COMPUTATION_ID = 5;
    private static final int INSTRUCTION_NAME = 1;
    private static final int INSTRUCTION_OPCODE = 2;
    private static final int INSTRUCTION_METADATA = 7;
    private static final int INSTRUCTION_FUSION_KIND = 11;
    private static final int INSTRUCTION_TARGET = 28;
    private static final int INSTRUCTION_CALLED = 38;
    private static final int METADATA_FILE = 3;
    private static final int METADATA_LINE = 4;

    /** They run no kernel. */
    private static final Set<String> WITHOUT_WORK =
            Set.of("parameter", "constant", "tuple", "get-tuple-element", "bitcast");

    /** The parts of a fusion that decide its category are named, the others are not. */
    private static final Set<String> HEROES = Set.of("dot", "convolution");

    /**
     * An instruction.
     *
     * @param what its opcode, with the kind of a fusion and its products, or the target of a call:
     *     {@code fusion kLoop}, {@code custom-call __cublas$gemm}
     * @param where the line of the program that it comes from, {@code file:line}; empty if not recorded
     */
    record Instruction(String what, String where) {
        static final Instruction UNKNOWN = new Instruction("", "");
    }

    /** A compiled module is {@code jit_step(17)}: its name and the number of the program. */
    private static final Pattern PROGRAM = Pattern.compile("(.*)\\((\\d{1,18})\\)", Pattern.DOTALL);

    private record Program(String module, long number) {}

    private final Map<Program, Map<String, Instruction>> programs = new HashMap<>();

    /** An instruction while it is read. */
    private static final class Draft {
        String name = "";
        String opcode = "";
        String fusionKind = "";
        String target = "";
        String file = "";
        long line;
        final List<Long> called = new ArrayList<>(1);

        String what(Map<Long, Set<String>> heroes) {
            Set<String> inside = new TreeSet<>();
            called.forEach(computation -> inside.addAll(heroes.getOrDefault(computation, Set.of())));
            return switch (opcode) {
                case "fusion" ->
                    String.join(" ", opcode, fusionKind, String.join(" ", inside))
                            .strip();
                case "custom-call" -> opcode + ' ' + target;
                default -> opcode;
            };
        }
    }

    /** Returns what is known of an instruction of a module, {@link Instruction#UNKNOWN} if it is not in the profile. */
    Instruction of(String module, long program, String instruction) {
        return programs.getOrDefault(new Program(module, program), Map.of())
                .getOrDefault(instruction, Instruction.UNKNOWN);
    }

    /** Reads an {@code HloProto}; {@code name} is that of its program. */
    void read(String name, ProtoMessages in) throws IOException, ImportException {
        List<Draft> drafts = new ArrayList<>();
        Map<Long, Set<String>> heroes = new HashMap<>();
        in.message(field -> {
            if (field == PROTO_MODULE) {
                module(in, drafts, heroes);
            }
        });
        Map<String, Instruction> instructions = new HashMap<>();
        for (Draft draft : drafts) {
            String where = draft.file.isEmpty() ? "" : draft.file + ':' + draft.line;
            instructions.put(draft.name, new Instruction(draft.what(heroes), where));
        }
        Matcher program = PROGRAM.matcher(name);
        if (program.matches()) {
            programs.put(new Program(program.group(1), Long.parseLong(program.group(2))), instructions);
        }
    }

    private static void module(ProtoMessages in, List<Draft> drafts, Map<Long, Set<String>> heroes)
            throws IOException, ImportException {
        in.message(field -> {
            if (field == MODULE_COMPUTATION) {
                computation(in, drafts, heroes);
            }
        });
    }

    private static void computation(ProtoMessages in, List<Draft> drafts, Map<Long, Set<String>> heroes)
            throws IOException, ImportException {
        long[] id = new long[1];
        Set<String> inside = new TreeSet<>();
        in.message(field -> {
            if (field == COMPUTATION_ID) {
                id[0] = in.number();
            } else if (field == COMPUTATION_INSTRUCTION) {
                Draft draft = instruction(in);
                if (!WITHOUT_WORK.contains(draft.opcode)) {
                    drafts.add(draft);
                }
                if (HEROES.contains(draft.opcode)) {
                    inside.add(draft.opcode);
                }
            }
        });
        heroes.put(id[0], inside);
    }

    private static Draft instruction(ProtoMessages in) throws IOException, ImportException {
        Draft draft = new Draft();
        in.message(field -> {
            switch (field) {
                case INSTRUCTION_NAME -> draft.name = in.text();
                case INSTRUCTION_OPCODE -> draft.opcode = in.text();
                case INSTRUCTION_FUSION_KIND -> draft.fusionKind = in.text();
                case INSTRUCTION_TARGET -> draft.target = in.text();
                case INSTRUCTION_CALLED -> in.numbers(draft.called::add);
                case INSTRUCTION_METADATA -> source(in, draft);
            }
        });
        return draft;
    }

    private static void source(ProtoMessages in, Draft draft) throws IOException, ImportException {
        in.message(field -> {
            switch (field) {
                case METADATA_FILE -> draft.file = in.text();
                case METADATA_LINE -> draft.line = in.number();
            }
        });
    }
}
