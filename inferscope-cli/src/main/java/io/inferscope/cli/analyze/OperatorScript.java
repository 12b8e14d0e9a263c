package io.inferscope.cli.analyze;

import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.importer.TraceSource;
import io.inferscope.timeline.traceevent.EventArguments;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Generates a Python program that runs and times a single operator of a recording, with the recorded sizes, strides,
 * types and values.
 */
final class OperatorScript {
    private static final String TEMPLATE = """
            #!/usr/bin/env python3
            # One operator as a recording has it, run alone and timed. Needs PyTorch and nothing else.
            # Recorded: %1$s with these inputs, %2$s on the host and %3$s on the device each.
            import ast
            import json
            import statistics
            import time

            import torch

            OPERATOR = %4$s
            SIZES = json.loads(%5$s)
            STRIDES = json.loads(%6$s)
            TYPES = json.loads(%7$s)
            VALUES = json.loads(%8$s)
            DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
            NAMES = {"float": "float32", "double": "float64", "c10::Half": "float16", "c10::BFloat16": "bfloat16",
                     "long int": "int64", "long": "int64", "int": "int32", "short int": "int16", "short": "int16",
                     "signed char": "int8", "unsigned char": "uint8", "bool": "bool",
                     "c10::Float8_e4m3fn": "float8_e4m3fn", "c10::Float8_e5m2": "float8_e5m2",
                     "c10::complex<float>": "complex64", "c10::complex<double>": "complex128"}


            def tensor(sizes, strides, name):
                # Indices are 0: that is valid for whatever they point into.
                dtype = getattr(torch, NAMES[name])
                strides = strides or torch.empty(sizes, device="meta").stride()
                room = 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides)) if 0 not in sizes else 0
                if dtype.is_floating_point or dtype.is_complex:
                    wide = dtype if dtype.is_complex or dtype.itemsize > 1 else torch.float32
                    base = torch.randn(room, device=DEVICE, dtype=wide).to(dtype)
                else:
                    base = torch.zeros(room, device=DEVICE, dtype=dtype)
                return base.as_strided(sizes, strides)


            def value(text):
                if text == "":
                    return None
                try:
                    return ast.literal_eval(text)
                except (ValueError, SyntaxError):
                    return float(text) if text in ("inf", "-inf", "nan") else text


            def argument(i):
                kind = TYPES[i] if i < len(TYPES) else ""
                sizes, strides = SIZES[i], STRIDES[i] if i < len(STRIDES) else []
                if kind in NAMES:
                    return tensor(sizes, strides, kind)
                if kind == "TensorList":
                    return [tensor(one, strides[j] if j < len(strides) else [], "float") for j, one in enumerate(sizes)]
                return value(VALUES[i]) if i < len(VALUES) else None


            def bound(arguments):
                # Inputs are recorded in the order of the schema, including those that Python takes by name only.
                namespace, name = OPERATOR.split("::")
                problem = "this PyTorch has no operator of that name and number of inputs"
                for schema in torch._C._jit_get_schemas_for_operator(OPERATOR):
                    if len(schema.arguments) < len(arguments):
                        continue
                    known = [(of, of.default_value if given is None and of.has_default_value() else given)
                             for of, given in zip(schema.arguments, arguments)]
                    overload = getattr(getattr(getattr(torch.ops, namespace), name), schema.overload_name or "default")
                    positional = [given for of, given in known if not of.kwarg_only]
                    named = {of.name: given for of, given in known if of.kwarg_only}
                    try:
                        with torch.no_grad():
                            overload(*positional, **named)
                        return lambda: overload(*positional, **named)
                    except (RuntimeError, TypeError, NotImplementedError) as e:
                        problem = e
                raise SystemExit("%%s: %%s" %% (OPERATOR, problem))


            def main():
                torch.manual_seed(0)
                arguments = [argument(i) for i in range(len(SIZES))]
                operator = bound(arguments)
                for one in arguments:
                    print("argument:", "%%s %%s %%s" %% (list(one.shape), one.stride(), one.dtype) if torch.is_tensor(one) else one)
                times = []
                for run in range(25):
                    if DEVICE == "cuda":
                        torch.cuda.synchronize()
                    begin = time.perf_counter()
                    with torch.no_grad():
                        operator()
                    if DEVICE == "cuda":
                        torch.cuda.synchronize()
                    times.append(time.perf_counter() - begin)
                    if len(times) > 5 and sum(times) > 5:
                        break
                times = times[5:]
                print("%%s on %%s: median %%.1f us of %%d runs, torch %%s"
                      %% (OPERATOR, DEVICE, 1e6 * statistics.median(times), len(times), torch.__version__))


            if __name__ == "__main__":
                main()
            """;

    /** Operators that are not run with the arguments of a recording, which may come from a stranger, and what they do. */
    private static final Map<Pattern, String> REFUSED = Map.of(
            Pattern.compile("aten::save|debugprims::.*|.*::(.*_)?(file|filename|path|url)(_.*)?"),
            "it opens a file that the recording names",
            Pattern.compile("(c10d|_c10d_.*|symm_mem|_dtensor|rpc)::.*"),
            "it exchanges data with other processes",
            Pattern.compile("(prim|profiler|cuda|static_runtime|export|debug_mode_ops|_test|inductor)::.*"
                    + "|aten::(_print|warn|manual_seed|seed|set_grad_enabled|_cufft_.*_plan_cache.*"
                    + "|_?backward|dist_backward|wait|_propagate_xla_data)|.*::data_ptr"),
            "it changes or reads the state of its process instead of computing");

    private final Timeline timeline;
    private final Map<String, Calls> byInputs = new HashMap<>();

    private static final class Calls {
        int row;
        long count;
        long hostNs;
        long deviceNs;

        long ns() {
            return deviceNs > 0 ? deviceNs : hostNs;
        }
    }

    private OperatorScript(Timeline timeline) {
        this.timeline = timeline;
    }

    /**
     * The program for an operator of one recording.
     *
     * @param ns the time of all calls with these inputs
     */
    record Found(long ns, String text) {}

    /** Throws if an operator does more than compute, so that a recording would decide what the program does. */
    static void checkComputes(String operator) {
        String bare = operator.split("\\.", 2)[0]; // Without its overload.
        REFUSED.forEach((names, effect) -> {
            if (names.matcher(bare).matches()) {
                throw new IllegalArgumentException(operator + " is not run alone: " + effect);
            }
        });
    }

    /**
     * Returns the program for an operator with those inputs that took most time; empty if the recording has no such
     * operator, or not its inputs.
     *
     * @param operator its name, {@code aten::addmm}
     * @throws IOException when the recording cannot be read again
     */
    static Optional<Found> find(Timeline timeline, TraceSource source, String operator) throws IOException {
        OperatorScript script = new OperatorScript(timeline);
        script.add(operator);
        Optional<Calls> longest = script.byInputs.values().stream()
                .max(Order.comparingLong(Calls::ns).thenComparing(calls -> -calls.row));
        return longest.isEmpty()
                ? Optional.empty()
                : Optional.of(new Found(longest.get().ns(), script.text(longest.get(), source, operator)));
    }

    private void add(String operator) {
        Map<Integer, Calls> byRow = new HashMap<>();
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (timeline.kind(row) == RowKind.OPERATOR
                    && timeline.name(row).equals(operator)
                    && timeline.attribute(row, Attribute.INPUT_DIMS) != Attribute.ABSENT
                    && timeline.sourceOffsetBytes(row) >= 0) {
                Calls calls = byInputs.computeIfAbsent(
                        timeline.attributeText(row, Attribute.INPUT_DIMS)
                                + timeline.attributeText(row, Attribute.INPUT_TYPES),
                        inputs -> new Calls());
                calls.row = calls.count++ == 0 ? row : calls.row;
                calls.hostNs += timeline.durationNs(row);
                byRow.put(row, calls);
            }
        }
        Links links = timeline.links();
        for (int link = 0; link < links.count() && !byRow.isEmpty(); link++) {
            int call = links.kind(link) == LinkKind.LAUNCH ? links.fromRow(link) : -1;
            while (call >= 0 && !byRow.containsKey(call)) {
                call = timeline.parent(call);
            }
            Calls calls = byRow.get(call);
            if (calls != null && timeline.kind(links.toRow(link)).isDeviceOperation()) {
                calls.deviceNs += timeline.durationNs(links.toRow(link));
            }
        }
    }

    private String text(Calls calls, TraceSource source, String operator) throws IOException {
        Map<String, String> arguments = EventArguments.at(source, timeline.sourceOffsetBytes(calls.row));
        return TEMPLATE.formatted(
                Units.count(calls.count) + (calls.count == 1 ? " call" : " calls"),
                Units.duration(calls.hostNs / calls.count),
                calls.deviceNs == 0 ? "nothing" : Units.duration(calls.deviceNs / calls.count),
                quoted(operator),
                quoted(first(arguments, List.of("Input Dims", "Input dims"))),
                quoted(first(arguments, List.of("Input Strides"))),
                quoted(first(arguments, List.of("Input type", "Input Type"))),
                quoted(first(arguments, List.of("Concrete Inputs"))));
    }

    private static String first(Map<String, String> arguments, List<String> names) {
        return names.stream()
                .filter(arguments::containsKey)
                .map(arguments::get)
                .findFirst()
                .orElse("[]");
    }

    /** Returns a Python string literal, so that no text of a recording becomes code. */
    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.chars().forEach(c -> {
            boolean plain = c >= ' ' && c < 127 && c != '"' && c != '\\';
            quoted.append(plain ? Character.toString(c) : String.format("\\u%04x", c));
        });
        return quoted.append('"').toString();
    }
}
