package io.inferscope.shapes;

import io.inferscope.analyzer.model.ShapeTensor;
import io.inferscope.shapes.ShapeReport.TensorFigures;
import io.inferscope.shapes.log.ShapeBody.Call;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/**
 * The largest tensors of all signatures; only as many as are asked for are kept. A tensor that is dropped is smaller
 * than all kept ones and cannot be among the largest later, so the calls of the kept tensors are counted completely.
 */
final class LargestTensors {
    private record Key(long elements, long bytes, String operation, boolean output, ShapeTensor tensor) {}

    /** Largest first; equally large ones by their text, so that the result does not depend on the order of the log. */
    private static final Comparator<Key> ORDER = Comparator.comparingLong(Key::elements)
            .thenComparingLong(Key::bytes)
            .reversed()
            .thenComparing(Key::operation)
            .thenComparing(Key::output)
            .thenComparing(key -> key.tensor().name())
            .thenComparing(key -> key.tensor().dtype())
            .thenComparing(key -> key.tensor().dims().toString());

    private record Seen(long calls, long firstCall) {
        Seen and(long more) {
            return new Seen(calls + more, firstCall);
        }
    }

    private final TreeMap<Key, Seen> largest = new TreeMap<>(ORDER);
    private final int limit;

    LargestTensors(int limit) {
        this.limit = limit;
    }

    static List<TensorFigures> of(ShapeCollection all, int limit) {
        LargestTensors tensors = new LargestTensors(limit);
        for (int id = 0; id < all.signatures().size(); id++) {
            Call call = all.signatures().get(id);
            long calls = all.calls(id);
            long first = all.firstCall(id);
            call.inputs().stream().distinct().forEach(tensor -> tensors.add(call, false, tensor, calls, first));
            call.outputs().stream().distinct().forEach(tensor -> tensors.add(call, true, tensor, calls, first));
        }
        return tensors.figures();
    }

    private void add(Call call, boolean output, ShapeTensor tensor, long calls, long first) {
        Key key = new Key(tensor.elements(), LoggedWork.bytes(tensor), call.operation(), output, tensor);
        boolean small = largest.size() >= limit && ORDER.compare(key, largest.lastKey()) > 0;
        if (key.elements == 0 || small) {
            return;
        }
        Seen seen = largest.get(key);
        largest.put(key, seen == null ? new Seen(calls, first) : seen.and(calls));
        if (largest.size() > limit) {
            largest.pollLastEntry();
        }
    }

    private List<TensorFigures> figures() {
        List<TensorFigures> figures = new ArrayList<>();
        largest.forEach((key, seen) -> figures.add(
                new TensorFigures(key.operation, key.output, key.tensor, key.bytes, seen.calls, seen.firstCall)));
        return figures;
    }
}
