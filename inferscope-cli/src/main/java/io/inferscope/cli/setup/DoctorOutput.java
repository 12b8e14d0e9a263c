package io.inferscope.cli.setup;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import io.inferscope.cli.common.Log;
import io.inferscope.collectors.doctor.CollectorCheck;
import io.inferscope.collectors.doctor.Doctor;
import io.inferscope.timeline.JsonValues;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Prints the doctor's results as text or JSON.
 *
 * @param result the results
 * @param missing the needed collectors that do not work
 */
record DoctorOutput(Doctor.Result result, List<String> missing) {
    static final String SCHEMA = "inferscope-doctor/1";

    private static final String INDENT = " ".repeat(25);

    /** Returns whether everything needed works. */
    boolean isEverythingThere() {
        return missing.isEmpty() && result.problem().isEmpty();
    }

    /** Writes one line per collector, and one below it for the remedy. */
    void console(PrintWriter out) {
        for (CollectorCheck check : result.checks()) {
            Log.line(out, pad(check.status().word(), 9) + pad(check.id(), 16) + check.found());
            if (!check.remedy().isEmpty()) {
                Log.line(out, INDENT + "-> " + check.remedy());
            }
        }
        out.println();
        if (!result.problem().isEmpty()) {
            Log.line(out, "The command cannot be executed: " + result.problem());
        }
        if (!missing.isEmpty()) {
            out.println("Not available: " + String.join(", ", missing));
        } else if (result.problem().isEmpty()) {
            out.println(
                    result.needed().isEmpty()
                            ? "No command was named: inferscope doctor -- COMMAND says what it needs."
                            : "Everything that the command needs is available.");
        }
        out.flush();
    }

    /** Writes the schema {@link #SCHEMA}, which docs/doctor.md describes. */
    void json(PrintWriter out) throws IOException {
        JsonFactory factory = JsonFactory.builder()
                .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
                .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
                .build();
        try (JsonGenerator json = factory.createGenerator(out)) {
            json.setPrettyPrinter(new DefaultPrettyPrinter(
                    Separators.createDefaultInstance().withObjectFieldValueSpacing(Separators.Spacing.AFTER)));
            List<Map<String, @Nullable Object>> checks = new ArrayList<>();
            for (CollectorCheck check : result.checks()) {
                String status = check.status().word();
                checks.add(JsonValues.of(
                        "collector", check.id(), "status", status, "found", check.found(), "remedy", check.remedy()));
            }
            Map<String, @Nullable Object> answer = JsonValues.of("schema", SCHEMA, "ok", isEverythingThere());
            answer.put("problem", result.problem());
            answer.put("needed", result.needed());
            answer.put("missing", missing);
            answer.put("checks", checks);
            JsonValues.write(json, answer);
        }
        out.println();
        out.flush();
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(Math.max(1, width - text.length()));
    }
}
