package io.inferscope.timeline.spool;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parts of the name of an NVTX range. PyTorch's {@code emit_nvtx} opens one around each operator, named {@code
 * aten::mm, seq = 5, op_id = 7, sizes = [[2, 3], [3, 4]]} with only the parts that it knows (torch.autograd.profiler
 * documentation, "emit_nvtx").
 *
 * @param text the name without those parts
 * @param isOperator whether the range is an operator of the framework
 */
record NvtxName(String text, boolean isOperator) {
    private static final Pattern OPERATOR =
            Pattern.compile("([A-Za-z_][\\w.]*::[^,]+)((?:, (?:seq|op_id|sizes|input_op_ids) = .*)?)");

    static NvtxName of(String name) {
        Matcher operator = OPERATOR.matcher(name);
        boolean is = operator.matches()
                && (name.startsWith("aten::") || !operator.group(2).isEmpty());
        return new NvtxName(is ? operator.group(1) : name, is);
    }
}
