package io.inferscope.report.tables;

import static io.inferscope.report.tables.Table.columns;
import static io.inferscope.report.tables.Table.names;
import static io.inferscope.report.tables.Table.numbers;
import static io.inferscope.report.tables.Table.texts;

import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.RequestTables.RequestPart;
import io.inferscope.analyzer.model.RequestTables.RequestTime;
import io.inferscope.analyzer.model.RequestTables.SlowCause;
import io.inferscope.analyzer.model.RequestTables.TokenFigures;
import io.inferscope.analyzer.model.TableId;
import io.inferscope.analyzer.model.Units;
import java.util.ArrayList;
import java.util.List;

/** Tables of requests' time by part, and of the time between tokens. */
final class RequestTimeTables {
    private RequestTimeTables() {}

    static List<Table> of(Report report) {
        List<RequestTime> requests = report.rows(TableId.REQUEST_TIME);
        return List.of(parts(requests), tokens(requests));
    }

    private static Table parts(List<RequestTime> requests) {
        List<List<String>> rows = new ArrayList<>();
        for (RequestTime request : requests) {
            for (RequestPart part : request.parts()) {
                rows.add(List.of(
                        request.name(),
                        request.process(),
                        Units.count(request.count()),
                        Units.durationIfRecorded(request.medianFirstNs()),
                        Units.durationIfRecorded(request.medianPerTokenNs()),
                        part.part(),
                        Units.duration(part.ns() / Math.max(1, request.count())),
                        Units.percent((double) part.ns()
                                / Math.max(1, request.ledger().durationNs()))));
            }
        }
        return new Table(
                "Where requests' time went",
                "From arrival to the end of the answer, on the threads that served them; the parts of a request sum to its time.",
                columns(
                        names("Request", "Process"),
                        numbers("Count", "First token, median", "Per token, median"),
                        texts("Part"),
                        numbers("Mean per request", "Share")),
                rows);
    }

    private static Table tokens(List<RequestTime> requests) {
        return new Table(
                "Time between tokens",
                "From each token of an answer to the next. Slow ones take more than 1.5 times the median; the cause is the class in which they took the most extra time.",
                columns(
                        names("Request", "Process"),
                        numbers("Tokens", "Median", "p95", "p99", "Longest", "Slow", "Extra time, mean"),
                        texts("Cause"),
                        numbers("Extra time in the cause, mean"),
                        names("Place")),
                requests.stream()
                        .filter(request -> request.tokens().count() > 0)
                        .flatMap(request -> tokens(request).stream())
                        .toList());
    }

    /** Returns one line per cause of slow tokens, or one line without a cause if there is none. */
    private static List<List<String>> tokens(RequestTime request) {
        List<SlowCause> causes = request.tokens().causes();
        return causes.isEmpty()
                ? List.of(line(request, "", "", ""))
                : causes.stream()
                        .map(cause -> line(
                                request,
                                cause.cause().label(),
                                Units.duration(cause.moreNs()
                                        / Math.max(1, request.tokens().slowCount())),
                                cause.where()))
                        .toList();
    }

    private static List<String> line(RequestTime request, String cause, String more, String where) {
        TokenFigures tokens = request.tokens();
        return List.of(
                request.name(),
                request.process(),
                Units.count(tokens.count()),
                Units.durationIfRecorded(tokens.medianNs()),
                Units.durationIfRecorded(tokens.p95Ns()),
                Units.durationIfRecorded(tokens.p99Ns()),
                Units.durationIfRecorded(tokens.maxNs()),
                Units.count(tokens.slowCount()),
                tokens.slowCount() == 0 ? "" : Units.duration(tokens.slowMoreNs() / tokens.slowCount()),
                cause,
                more,
                where);
    }
}
