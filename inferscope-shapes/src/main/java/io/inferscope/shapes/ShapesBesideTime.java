package io.inferscope.shapes;

import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.ShapeTables;
import io.inferscope.analyzer.model.ShapeTables.LoggedShape;
import io.inferscope.analyzer.model.ShapeTables.OperatorShape;
import io.inferscope.analyzer.model.ShapeTensor;
import io.inferscope.analyzer.model.Units;
import io.inferscope.shapes.log.ShapeBody.Call;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Adds the shapes of a whole run, from its shape log, to the times in its report. A shape log has every call but no
 * times; the windows of PyTorch's profiler have times of some calls. Calls from both are matched by operator and input
 * sizes, not by data types, because the two sources name data types differently.
 */
public final class ShapesBesideTime {
    private static final int LINES = 50;

    private static final Pattern SIZES = Pattern.compile("\\[([0-9, ]+)]");

    /** An operator and the sizes of its input tensors, scalars left out: {@code 128,256;256,512}. */
    private record Key(String name, String sizes) {}

    private record Times(long calls, long hostNs, long deviceNs) {
        Times and(Times other) {
            return new Times(calls + other.calls, hostNs + other.hostNs, deviceNs + other.deviceNs);
        }
    }

    private ShapesBesideTime() {}

    /** Adds the shapes of a collection to a report and returns it; every log of the collection must have been closed. */
    public static Report of(Report report, ShapeCollection all) {
        Map<Key, Times> times = new HashMap<>();
        for (OperatorShape operator : report.rows(ShapeTables.OPERATOR_SHAPES)) {
            times.merge(
                    new Key(operator.name(), sizes(operator.dims())),
                    new Times(operator.count(), operator.hostNs(), operator.deviceNs()),
                    Times::and);
        }
        List<Integer> ids = new ArrayList<>();
        for (int id = 0; id < all.signatures().size(); id++) {
            if (!all.isError(id)) {
                ids.add(id);
            }
        }
        ids.sort(Comparator.<Integer>comparingDouble(id -> -work(all, id))
                .thenComparingLong(id -> -all.calls(id))
                .thenComparing(id -> id));
        report.tables()
                .with(
                        ShapeTables.LOGGED_SHAPES,
                        ids.stream()
                                .limit(LINES)
                                .map(id -> line(all, id, times))
                                .toList());
        return report;
    }

    /** Returns the floating-point operations of all calls with a signature; 0 when they are not known. */
    private static double work(ShapeCollection all, int id) {
        double flops = all.facts(id).flops();
        return Double.isNaN(flops) ? 0 : flops * all.calls(id);
    }

    private static LoggedShape line(ShapeCollection all, int id, Map<Key, Times> times) {
        Call call = all.signatures().get(id);
        @Nullable Times time = times.get(new Key(LoggedWork.name(call.operation()), sizes(call.inputs())));
        return new LoggedShape(
                call.operation(),
                call.inputs(),
                call.outputs(),
                all.calls(id),
                Units.ifNumber(all.facts(id).flops()),
                Units.ifNumber(all.facts(id).bytes()),
                time == null ? 0 : time.calls,
                time == null ? 0 : time.hostNs,
                time == null ? 0 : time.deviceNs);
    }

    /** Returns the sizes for a {@link Key} from the profiler's form {@code [[128, 256], [256, 512], []]}. */
    private static String sizes(String dims) {
        List<String> sizes = new ArrayList<>();
        Matcher matcher = SIZES.matcher(dims);
        while (matcher.find()) {
            sizes.add(matcher.group(1).replace(" ", ""));
        }
        return String.join(";", sizes);
    }

    private static String sizes(List<ShapeTensor> tensors) {
        return tensors.stream()
                .filter(tensor -> !tensor.dims().isEmpty())
                .map(tensor -> tensor.dims().stream().map(String::valueOf).collect(Collectors.joining(",")))
                .collect(Collectors.joining(";"));
    }
}
