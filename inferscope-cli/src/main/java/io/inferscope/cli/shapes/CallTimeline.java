package io.inferscope.cli.shapes;

import io.inferscope.shapes.CallListener;
import io.inferscope.shapes.log.ShapeLogSink.Row;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/** The calls of a shape log as CSV (RFC 4180, lines ended by line feeds): call_id, operation, op_count, output_elements, output_shape. */
final class CallTimeline implements CallListener {
    private final Writer out;

    CallTimeline(OutputStream stream) throws IOException {
        out = new BufferedWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), 1 << 16);
        out.write("call_id,operation,op_count,output_elements,output_shape\n");
    }

    @Override
    public void call(String operation, long count, Row row) {
        try {
            out.write(row.callId() < 0 ? "" : Long.toString(row.callId()));
            out.write(',');
            cell(operation);
            out.write(',');
            out.write(Long.toString(row.operationCount() < 0 ? count : row.operationCount()));
            out.write(',');
            out.write(Long.toString(row.outputElements()));
            out.write(',');
            cell(row.outputsText());
            out.write('\n');
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Signs that a spreadsheet would take for a formula's beginning stand in no operator's name that PyTorch writes. */
    private void cell(String text) throws IOException {
        boolean plain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
        out.write(plain ? text : '"' + text.replace("\"", "\"\"") + '"');
    }

    void flush() throws IOException {
        out.flush();
    }
}
