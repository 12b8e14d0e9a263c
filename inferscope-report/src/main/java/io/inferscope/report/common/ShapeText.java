package io.inferscope.report.common;

import io.inferscope.analyzer.model.ShapeTensor;
import io.inferscope.analyzer.model.Units;
import io.inferscope.shapes.ShapeReport.SignatureFigures;
import io.inferscope.shapes.log.ShapeBody.Call;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Tensors and numbers of shape logs in words. */
public final class ShapeText {
    /** Tensors of a list that are written out. */
    private static final int LISTED = 4;

    private ShapeText() {}

    /**
     * Returns {@code self float16[128, 256], mat2 float16[256, 512]}; for a list of tensors, the first ones and their
     * number.
     */
    public static String tensors(List<ShapeTensor> tensors) {
        List<String> texts = new ArrayList<>();
        int at = 0;
        while (at < tensors.size()) {
            int end = at + 1;
            while (end < tensors.size()
                    && tensors.get(end).name().equals(tensors.get(at).name())) {
                end++;
            }
            texts.add(group(tensors.subList(at, end)));
            at = end;
        }
        return String.join(", ", texts);
    }

    private static String group(List<ShapeTensor> list) {
        String name = name(list.get(0));
        String lead = name.isEmpty() ? "" : name + " ";
        if (list.size() == 1) {
            return lead + shape(list.get(0));
        }
        String rest = list.size() > LISTED ? ", " + (list.size() - LISTED) + " more" : "";
        return lead
                + list.stream().limit(LISTED).map(ShapeText::shape).collect(Collectors.joining(", ", "(", rest + ")"));
    }

    /** Returns the argument's name; empty if the log has only its position. */
    public static String name(ShapeTensor tensor) {
        return tensor.name().startsWith("#") ? "" : tensor.name();
    }

    /** Returns {@code float16[128, 256]}. */
    public static String shape(ShapeTensor tensor) {
        String dtype = tensor.dtype().substring(tensor.dtype().lastIndexOf('.') + 1);
        return dtype
                + tensor.dims().stream()
                        .map(size -> size == ShapeTensor.UNKNOWN ? "?" : Long.toString(size))
                        .collect(Collectors.joining(", ", "[", "]"));
    }

    /** Returns {@code self float16[128, 256] → float16[128]}: inputs, and outputs or the failure. */
    public static String call(Call call) {
        String result = call.isError() ? call.errorType() + ": " + call.errorMessage() : tensors(call.outputs());
        String inputs = tensors(call.inputs());
        return (inputs.isEmpty() ? "" : inputs + " → ") + (result.isEmpty() ? "nothing" : result);
    }

    /** Returns a number of a call; a dash for one that was not logged. */
    public static String callId(long callId) {
        return callId < 0 ? Units.ABSENT : Units.count(callId);
    }

    /** Returns a size; a dash for one that is not known. */
    public static String bytes(long bytes) {
        return bytes < 0 ? Units.ABSENT : Units.bytes(bytes);
    }

    /** Returns an amount known for {@code known} calls; a dash if it is known for none. */
    public static String known(String amount, long known) {
        return known == 0 ? Units.ABSENT : amount;
    }

    public static String share(long calls, long all) {
        return all == 0 ? Units.ABSENT : Units.percent((double) calls / all);
    }

    /** Returns the work of all calls with a signature. */
    public static String allFlops(SignatureFigures signature) {
        return Units.flops(signature.flops() * signature.calls());
    }
}
