package io.inferscope.shapes;

import io.inferscope.analyzer.model.ShapeTensor;
import io.inferscope.analyzer.model.WorkKind;
import io.inferscope.analyzer.work.ElementType;
import io.inferscope.analyzer.work.Operands;
import io.inferscope.analyzer.work.Tensor;
import io.inferscope.analyzer.work.Work;
import io.inferscope.analyzer.work.WorkFormulas;
import io.inferscope.shapes.log.ShapeBody.Call;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The least work of a logged call. A log names operators as {@code aten.mm.default}: namespace, operator, overload. It
 * has the names and sizes of tensors, but not the values of other arguments. So it does not show whether attention is
 * causal, and attention is counted as not causal, as in torch.utils.flop_counter.
 */
final class LoggedWork {
    private LoggedWork() {}

    /** Returns the work of a call; null when it failed, a size is not known, or no formula is known for it. */
    static @Nullable Work of(Call call) {
        if (call.isError() || isOpen(call.inputs()) || isOpen(call.outputs())) {
            return null;
        }
        String name = name(call.operation());
        if (WorkFormulas.isView(name)) {
            return new Work(WorkKind.COPY, 0, 0, ElementType.UNKNOWN);
        }
        List<Tensor> results = call.outputs().stream().map(LoggedWork::tensor).toList();
        return WorkFormulas.of(name, Operands.of(inputs(call.inputs()), results));
    }

    private static boolean isOpen(List<ShapeTensor> tensors) {
        return tensors.stream().anyMatch(tensor -> tensor.dims().contains(ShapeTensor.UNKNOWN));
    }

    /** Returns {@code aten::mm} for {@code aten.mm.default}. */
    static String name(String operation) {
        int first = operation.indexOf('.');
        int last = operation.lastIndexOf('.');
        if (first <= 0 || operation.contains("::")) {
            return operation;
        }
        return operation.substring(0, first)
                + "::"
                + (last > first ? operation.substring(first + 1, last) : operation.substring(first + 1));
    }

    /** Groups tensors into inputs: consecutive tensors with the same name are the elements of one list argument. */
    private static List<List<Tensor>> inputs(List<ShapeTensor> logged) {
        List<List<Tensor>> inputs = new ArrayList<>();
        String before = "";
        for (ShapeTensor tensor : logged) {
            if (inputs.isEmpty() || !tensor.name().equals(before)) {
                inputs.add(new ArrayList<>());
                before = tensor.name();
            }
            inputs.get(inputs.size() - 1).add(tensor(tensor));
        }
        return inputs;
    }

    private static Tensor tensor(ShapeTensor logged) {
        return new Tensor(logged.dims(), ElementType.of(logged.dtype()));
    }

    /** Returns the size of a tensor in memory, -1 when its type or a size is not known. */
    static long bytes(ShapeTensor tensor) {
        ElementType type = ElementType.of(tensor.dtype());
        boolean known = type != ElementType.UNKNOWN && !tensor.dims().contains(ShapeTensor.UNKNOWN);
        long elements = tensor.elements();
        return known && elements <= Long.MAX_VALUE / 16 ? elements * type.sizeBytes() : -1;
    }
}
