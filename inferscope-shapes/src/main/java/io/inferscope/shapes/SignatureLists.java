package io.inferscope.shapes;

import io.inferscope.analyzer.model.ShapeTensor;
import io.inferscope.shapes.ShapeReport.SignatureFigures;
import io.inferscope.shapes.log.ShapeBody.Call;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;

/** Signatures, most calls first; those with equally many calls in the order of their first calls. */
final class SignatureLists {
    private final ShapeCollection all;
    private final Comparator<Integer> order;

    SignatureLists(ShapeCollection all) {
        this.all = all;
        this.order = Comparator.<Integer>comparingLong(id -> -all.calls(id)).thenComparing(id -> id);
    }

    /** Returns the first signatures of operators, at most {@code limit} of each, in the order of {@code operators}. */
    List<SignatureFigures> of(List<String> operators, int limit) {
        Map<Integer, TreeSet<Integer>> kept = new HashMap<>();
        Map<String, Integer> wanted = new TreeMap<>();
        operators.forEach(name -> wanted.put(name, all.signatures().operation(name)));
        wanted.values().forEach(operation -> kept.put(operation, new TreeSet<>(order)));
        for (int id = 0; id < all.signatures().size(); id++) {
            TreeSet<Integer> first = kept.get(all.operationOf(id));
            if (first != null && all.calls(id) > 0) {
                first.add(id);
                if (first.size() > limit) {
                    first.pollLast();
                }
            }
        }
        List<SignatureFigures> figures = new ArrayList<>();
        for (String name : operators) {
            kept.getOrDefault(wanted.getOrDefault(name, -1), new TreeSet<>(order))
                    .forEach(id -> figures.add(of(id)));
        }
        return figures;
    }

    /** Returns the signatures of calls that failed. */
    List<SignatureFigures> errors(int limit) {
        return which(limit, all::isError).stream().map(this::of).toList();
    }

    /** Returns the first signatures that are wanted. */
    List<Integer> which(int limit, IntPredicate wanted) {
        TreeSet<Integer> first = new TreeSet<>(order);
        for (int id = 0; id < all.signatures().size(); id++) {
            if (wanted.test(id)) {
                first.add(id);
                if (first.size() > limit) {
                    first.pollLast();
                }
            }
        }
        return List.copyOf(first);
    }

    SignatureFigures of(int id) {
        Call call = all.signatures().get(id);
        String log = all.logs().get(all.facts(id).firstLog()).name();
        return new SignatureFigures(
                call,
                all.calls(id),
                all.firstCall(id),
                log,
                all.facts(id).flops(),
                all.facts(id).bytes(),
                bytes(call));
    }

    private static long bytes(Call call) {
        long sum = 0;
        for (List<ShapeTensor> tensors : List.of(call.inputs(), call.outputs())) {
            for (ShapeTensor tensor : tensors) {
                long bytes = LoggedWork.bytes(tensor);
                if (bytes < 0) {
                    return -1;
                }
                sum += bytes;
            }
        }
        return sum;
    }
}
