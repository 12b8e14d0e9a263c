package io.inferscope.report.json;

import io.inferscope.shapes.ShapeDifference;
import java.io.IOException;

/**
 * A comparison of two shape logs for programs: schema {@code inferscope-shapes-diff/1}, whose members docs/shapes.md
 * describes.
 */
public final class JsonShapeDifference {
    static final String SCHEMA = "inferscope-shapes-diff/1";

    private JsonShapeDifference() {}

    public static void write(ShapeDifference difference, Appendable out) throws IOException {
        try (JsonWriter json = new JsonWriter(out)) {
            json.object(() -> write(difference, json));
        }
    }

    private static void write(ShapeDifference difference, JsonWriter json) throws IOException {
        JsonShapeReport parts = new JsonShapeReport(json);
        json.text("schema", SCHEMA);
        json.flag("same", difference.isSame());
        json.texts("labels", difference.labels());
        json.texts("cautions", difference.cautions());
        json.objects("logs", difference.logs(), parts::log);
        json.number("commonOperators", difference.commonOperators());
        json.objects("onlyFirst", difference.onlyFirst(), parts::difference);
        json.objects("onlySecond", difference.onlySecond(), parts::difference);
        json.number("differentOperators", difference.countsTotal());
        json.objects("different", difference.counts(), parts::difference);
        json.objects("alike", difference.alike(), parts::difference);
        json.numbers("shapesOnlyInOne", difference.shapesTotal());
        json.objects("shapesFirst", difference.shapesFirst(), parts::signature);
        json.objects("shapesSecond", difference.shapesSecond(), parts::signature);
        json.objects("errors", difference.errors(), error -> {
            parts.signature(error.signature());
            json.number("firstCalls", error.firstCalls());
            json.number("secondCalls", error.secondCalls());
        });
        json.objects("examples", difference.examples(), example -> {
            json.text("operation", example.operation());
            json.objects("first", example.first(), parts::signature);
            json.objects("second", example.second(), parts::signature);
        });
    }
}
