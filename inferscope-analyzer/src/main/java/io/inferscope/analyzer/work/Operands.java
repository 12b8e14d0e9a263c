package io.inferscope.analyzer.work;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The inputs of one operator call, as PyTorch's profiler writes them: {@code [[141, 512], [512, 512], []]} with the
 * types {@code [float, float, Scalar]} and, where they matter, the values {@code [,,1]}. The three lists have one
 * element per input. A list of tensors is one input with nested sizes.
 */
public final class Operands {
    private final List<List<Tensor>> inputs = new ArrayList<>();
    private final List<String> values;
    private List<Tensor> results = List.of();

    private Operands(String values) {
        this.values = split(values);
    }

    /** Reads the inputs; invalid ones count as not being tensors. Types and values may be empty. */
    public static Operands of(String dims, String types, String values) {
        Operands operands = new Operands(values);
        boolean ofAscend = !dims.startsWith("[") && dims.indexOf(';') >= 0;
        List<String> sizes = ofAscend ? ofAscend(dims, "[", "]") : split(dims);
        List<String> names = ofAscend ? ofAscend(types, "", "") : split(types);
        for (int i = 0; i < sizes.size(); i++) {
            operands.inputs.add(tensors(sizes.get(i), i < names.size() ? names.get(i) : ""));
        }
        return operands;
    }

    /**
     * Returns inputs with known sizes of inputs and results, without values.
     *
     * @param inputs tensors of each input, in the order of the operator's schema; only trailing inputs that are not
     *     tensors may be left out
     */
    public static Operands of(List<List<Tensor>> inputs, List<Tensor> results) {
        Operands operands = new Operands("");
        inputs.forEach(tensors -> operands.inputs.add(List.copyOf(tensors)));
        operands.results = List.copyOf(results);
        return operands;
    }

    /** Ascend's profiler writes sizes as {@code 32,10;10,1024;}, and types likewise. */
    private static List<String> ofAscend(String list, String before, String after) {
        return Arrays.stream(list.split(";", -1))
                .map(element -> before + element.strip() + after)
                .toList();
    }

    private static List<Tensor> tensors(String sizes, String typeName) {
        ElementType type = ElementType.of(typeName);
        List<Tensor> tensors = new ArrayList<>();
        if (sizes.startsWith("[[")) {
            for (String one : split(sizes)) {
                // A list of tensors contains no lists, whereas a text may be nested to any depth.
                if (!one.startsWith("[[")) {
                    tensors.addAll(tensors(one, ""));
                }
            }
            return tensors;
        }
        List<Long> dims = new ArrayList<>();
        for (String size : split(sizes)) {
            if (size.isEmpty() || size.length() > 18 || !size.chars().allMatch(c -> c >= '0' && c <= '9')) {
                return List.of();
            }
            dims.add(Long.parseLong(size));
        }
        if (!dims.isEmpty() || type != ElementType.UNKNOWN) {
            tensors.add(new Tensor(dims, type));
        }
        return tensors;
    }

    /** Returns the elements of a list in brackets, or of a tuple, which may be lists themselves; none for other text. */
    static List<String> split(String list) {
        List<String> elements = new ArrayList<>();
        boolean isList = list.length() >= 3
                && ((list.charAt(0) == '[' && list.charAt(list.length() - 1) == ']')
                        || (list.charAt(0) == '(' && list.charAt(list.length() - 1) == ')'));
        if (!isList) {
            return elements;
        }
        int depth = 0;
        int start = 1;
        for (int i = 1; i < list.length(); i++) {
            char c = list.charAt(i);
            if (depth == 0 && (c == ',' || i == list.length() - 1)) {
                elements.add(list.substring(start, i).strip());
                start = i + 1;
            }
            depth += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
        }
        return elements;
    }

    /** Returns an input that is a tensor, null where there is none. */
    public @Nullable Tensor tensor(int input) {
        return input < inputs.size() && inputs.get(input).size() == 1
                ? inputs.get(input).get(0)
                : null;
    }

    /** Returns the first result, null where results are not recorded. */
    @Nullable
    Tensor result() {
        return results.isEmpty() ? null : results.get(0);
    }

    /** Returns all tensors in their order, those of lists too. */
    public List<Tensor> tensors() {
        List<Tensor> all = new ArrayList<>();
        inputs.forEach(all::addAll);
        return all;
    }

    /** Returns the size of all tensors in memory, {@link Double#NaN} where a type is not known. */
    double bytes() {
        double bytes = 0;
        for (Tensor tensor : tensors()) {
            bytes += tensor.bytes();
        }
        return bytes;
    }

    /**
     * Returns the value of an input that is a list of {@code count} numbers, or one number, which counts for all; null
     * for none.
     */
    @Nullable
    List<Long> numbers(int input, int count) {
        String value = input < values.size() ? values.get(input) : "";
        List<String> texts = value.startsWith("[") || value.startsWith("(") ? split(value) : List.of(value);
        List<Long> numbers = new ArrayList<>();
        for (String text : texts) {
            if (!text.matches("-?\\d{1,18}")) {
                return null;
            }
            numbers.add(Long.parseLong(text));
        }
        if (numbers.size() == 1) {
            return Collections.nCopies(count, numbers.get(0));
        }
        return numbers.size() == count ? numbers : null;
    }

    /** Returns whether an input is recorded as true. */
    boolean isTrue(int input) {
        return input < values.size() && values.get(input).equals("True");
    }
}
