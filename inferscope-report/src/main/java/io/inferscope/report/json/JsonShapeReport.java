package io.inferscope.report.json;

import io.inferscope.analyzer.model.ShapeTensor;
import io.inferscope.shapes.ShapeDifference;
import io.inferscope.shapes.ShapeReport;
import io.inferscope.shapes.ShapeReport.Difference;
import io.inferscope.shapes.ShapeReport.LogFigures;
import io.inferscope.shapes.ShapeReport.SignatureFigures;
import io.inferscope.shapes.ShapeReport.Totals;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * Shape reports and comparisons of two shape logs for programs: schemas {@code inferscope-shapes/1} and {@code
 * inferscope-shapes-diff/1}, whose members docs/shapes.md describes.
 */
public record JsonShapeReport(JsonWriter json) {
    static final String SCHEMA = "inferscope-shapes/1";
    static final String DIFFERENCE_SCHEMA = "inferscope-shapes-diff/1";

    public static void write(ShapeReport report, Appendable out) throws IOException {
        try (JsonWriter json = new JsonWriter(out)) {
            json.object(() -> new JsonShapeReport(json).report(report));
        }
    }

    public static void write(ShapeDifference difference, Appendable out) throws IOException {
        try (JsonWriter json = new JsonWriter(out)) {
            json.object(() -> new JsonShapeReport(json).report(difference));
        }
    }

    private void report(ShapeReport report) throws IOException {
        json.text("schema", SCHEMA);
        json.text("title", report.title());
        json.flag("quick", report.quick());
        json.object("totals", () -> totals(report.totals()));
        json.texts("cautions", report.cautions());
        json.objects("logs", report.logs(), this::log);
        json.objects("operators", report.operators(), operator -> {
            json.text("operation", operator.name());
            totals(operator.totals());
        });
        json.objects("shapes", report.shapes(), this::signature);
        json.objects("largest", report.largest(), tensor -> {
            json.text("operation", tensor.operation());
            json.flag("output", tensor.output());
            tensor(tensor.tensor());
            json.number("elements", tensor.tensor().elements());
            json.numberOrNull("bytes", tensor.bytes());
            json.number("calls", tensor.calls());
            json.numberOrNull("firstCall", tensor.firstCall());
        });
        json.objects("diversity", report.diversity(), operator -> {
            json.text("operation", operator.name());
            json.number("shapes", operator.totals().shapes());
            json.number("calls", operator.totals().calls());
        });
        json.objects("phases", report.phases(), phase -> {
            json.textOrNull("phase", phase.name());
            json.number("passes", phase.passes());
            totals(phase.totals());
        });
        json.number("passCount", report.passCount());
        json.objects("passes", report.passes(), pass -> {
            json.number("pass", pass.number());
            json.textOrNull("phase", pass.phase());
            work(pass.totals());
        });
        json.objects("replays", report.replays(), replay -> {
            json.text("operation", replay.operation());
            json.number("captured", replay.captured());
            work(replay.totals());
        });
        json.objects("errors", report.errors(), this::signature);
        json.number("differenceCount", report.differenceCount());
        json.objects("differences", report.differences(), this::difference);
    }

    private void log(LogFigures log) throws IOException {
        json.text("log", log.name());
        json.numberOrNull("rank", log.rank());
        totals(log.totals());
        json.number("rows", log.rows());
        json.object("markers", () -> {
            for (Map.Entry<String, Long> marker : log.markers().entrySet()) {
                json.number(marker.getKey(), marker.getValue());
            }
        });
        json.number("leftOut", log.leftOut());
        json.numberOrNull("lastPass", log.lastPass());
        json.number("bytesRead", log.stats().bytes());
        json.number("lines", log.stats().lines());
        json.number("blankLines", log.stats().blankLines());
        json.number("malformedLines", log.stats().malformedLines());
        json.objects("malformed", log.stats().malformed(), place -> {
            json.number("line", place.line());
            json.number("offsetBytes", place.offsetBytes());
            json.text("problem", place.problem());
        });
        json.textOrNull("damage", log.stats().damage());
        json.textOrNull("summary", log.summary());
    }

    private void totals(Totals totals) throws IOException {
        json.number("operators", totals.operators());
        json.number("shapes", totals.shapes());
        work(totals);
    }

    private void work(Totals totals) throws IOException {
        json.number("calls", totals.calls());
        json.number("errors", totals.errors());
        json.number("elements", totals.elements());
        json.whole("flops", totals.workCalls() == 0 ? Double.NaN : totals.flops());
        json.number("workCalls", totals.workCalls());
        json.whole("bytes", totals.trafficCalls() == 0 ? Double.NaN : totals.bytes());
        json.number("trafficCalls", totals.trafficCalls());
    }

    private void signature(SignatureFigures signature) throws IOException {
        json.text("operation", signature.call().operation());
        json.number("calls", signature.calls());
        json.numberOrNull("firstCall", signature.firstCall());
        json.text("firstLog", signature.firstLog());
        json.whole("flops", signature.flops());
        json.whole("bytes", signature.bytes());
        json.numberOrNull("tensorBytes", signature.tensorBytes());
        tensors("inputs", signature.call().inputs());
        tensors("outputs", signature.call().outputs());
        json.textOrNull("errorType", signature.call().errorType());
        json.textOrNull("errorMessage", signature.call().errorMessage());
    }

    void tensors(String name, List<ShapeTensor> tensors) throws IOException {
        json.objects(name, tensors, this::tensor);
    }

    private void tensor(ShapeTensor tensor) throws IOException {
        json.textOrNull("name", tensor.name());
        json.textOrNull("dtype", tensor.dtype());
        json.numbers("shape", tensor.dims());
    }

    private void difference(Difference difference) throws IOException {
        json.text("operation", difference.operation());
        json.numbers("calls", difference.calls());
        json.numbers("shapes", difference.shapes());
        json.number("commonShapes", difference.common());
    }

    private void report(ShapeDifference difference) throws IOException {
        json.text("schema", DIFFERENCE_SCHEMA);
        json.flag("same", difference.isSame());
        json.texts("labels", difference.labels());
        json.texts("cautions", difference.cautions());
        json.objects("logs", difference.logs(), this::log);
        json.number("commonOperators", difference.commonOperators());
        json.objects("onlyFirst", difference.onlyFirst(), this::difference);
        json.objects("onlySecond", difference.onlySecond(), this::difference);
        json.number("differentOperators", difference.countsTotal());
        json.objects("different", difference.counts(), this::difference);
        json.objects("alike", difference.alike(), this::difference);
        json.numbers("shapesOnlyInOne", difference.shapesTotal());
        json.objects("shapesFirst", difference.shapesFirst(), this::signature);
        json.objects("shapesSecond", difference.shapesSecond(), this::signature);
        json.objects("errors", difference.errors(), error -> {
            signature(error.signature());
            json.number("firstCalls", error.firstCalls());
            json.number("secondCalls", error.secondCalls());
        });
        json.objects("examples", difference.examples(), example -> {
            json.text("operation", example.operation());
            json.objects("first", example.first(), this::signature);
            json.objects("second", example.second(), this::signature);
        });
    }
}
