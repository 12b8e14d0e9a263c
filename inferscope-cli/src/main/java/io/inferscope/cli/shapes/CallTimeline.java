package io.inferscope.cli.shapes;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import io.inferscope.report.common.PlainText;
import io.inferscope.shapes.CallListener;
import io.inferscope.shapes.log.ShapeLogSink.Row;
import java.io.IOException;
import java.io.OutputStream;

/**
 * The calls of a shape log as CSV (RFC 4180, lines ended by line feeds): call_id, operation, op_count, output_elements,
 * output_shape.
 */
final class CallTimeline implements CallListener {
    private final CsvWriter out;

    CallTimeline(OutputStream stream) {
        out = CsvWriter.builder()
                .lineDelimiter(LineDelimiter.LF)
                .bufferSize(1 << 16)
                .build(stream);
        out.writeRecord("call_id", "operation", "op_count", "output_elements", "output_shape");
    }

    @Override
    public void call(String operation, long count, Row row) {
        out.writeRecord(
                row.callId() < 0 ? "" : Long.toString(row.callId()),
                PlainText.csvCell(operation),
                Long.toString(row.operationCount() < 0 ? count : row.operationCount()),
                Long.toString(row.outputElements()),
                PlainText.csvCell(row.outputsText()));
    }

    void flush() throws IOException {
        out.flush();
    }
}
