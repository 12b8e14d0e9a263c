package io.inferscope.report.json;

import io.inferscope.analyzer.model.BoundVerdict;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Reason;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.Failure;
import io.inferscope.analyzer.model.Report.Judged;
import io.inferscope.analyzer.model.Report.RuleOutcome;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.model.Row;
import io.inferscope.analyzer.model.TableId;
import io.inferscope.analyzer.model.TableNotes;
import io.inferscope.analyzer.model.TableRows;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.report.common.PlainText;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * Reads JSON reports back, as far as comparing two of them and checking limits requires: verdict, ledgers, all tables,
 * findings without their evidence, outcomes of rules and the trust gate.
 */
public final class JsonReportReader {
    private static final String SCHEMA = "inferscope-report/";

    /** The schema is the first member of every report. */
    private static final int HEAD_BYTES = 200;

    private JsonReportReader() {}

    /** Returns whether a file begins like a JSON report; false if it cannot be read. */
    public static boolean recognises(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            String head = new String(in.readNBytes(HEAD_BYTES), StandardCharsets.UTF_8);
            return head.matches("(?s)\\s*\\{\\s*\"schema\"\\s*:\\s*\"" + SCHEMA + ".*");
        } catch (IOException notReadable) {
            return false;
        }
    }

    /**
     * Reads a report.
     *
     * @throws ImportException when it cannot be read, is damaged or of a later schema
     */
    public static Report read(Path file) throws ImportException {
        String name = String.valueOf(file.getFileName());
        try (InputStream in = Files.newInputStream(file)) {
            JsonMembers json = JsonMembers.read(in);
            if (!json.text("schema").equals(JsonRenderer.SCHEMA)) {
                throw new ImportException(
                        name,
                        "its schema is " + PlainText.clean(json.text("schema"), PlainText.NAME),
                        "read it by the version that wrote it, or later");
            }
            return report(json);
        } catch (IOException | IllegalArgumentException e) {
            throw new ImportException(
                    name,
                    "a damaged report: "
                            + PlainText.clean(
                                    String.valueOf(e.getMessage())
                                            .lines()
                                            .findFirst()
                                            .orElse(""),
                                    PlainText.SENTENCE),
                    "write it again by inferscope analyze -o",
                    e);
        }
    }

    private static Report report(JsonMembers json) {
        List<Ledger> ledgers = json.objects("ledgers", JsonReportReader::ledger);
        if (ledgers.isEmpty()) {
            throw new IllegalArgumentException("it has no ledger");
        }
        Judged judged = judged(json.object("judged"));
        List<TrustCheck> checks = json.objects(
                "trust",
                check -> new TrustCheck(
                        check.text("check"),
                        check.flag("passed"),
                        check.flag("withholds"),
                        check.text("detail"),
                        check.textOrNone("remedy")));
        return new Report(
                json.text("title"),
                Long.parseLong(json.text("originUnixNs")),
                stretch(json.object("window")),
                stretch(json.object("window")).durationNs(),
                judged,
                verdict(json.object("verdict")),
                ledgers,
                window(ledgers, judged).rollup(),
                json.texts("diagnosis"),
                json.texts("suggestions"),
                tables(json, judged.subject()),
                json.objects("findings", JsonReportReader::finding),
                json.objects(
                        "rules",
                        rule -> new RuleOutcome(
                                rule.text("rule"),
                                rule.text("title"),
                                rule.known(
                                        "outcome",
                                        Arrays.asList(RuleOutcome.Outcome.values()),
                                        RuleOutcome.Outcome::id),
                                rule.textOrNone("because"))),
                checks,
                List.of(),
                List.of(),
                List.of(),
                new ImportStats.Builder().build(),
                json.texts("notes"),
                json.objects("failures", failure -> new Failure(failure.text("part"), failure.text("problem"))));
    }

    /** Returns all tables; {@code subject} is the subject of the phases' ledgers. */
    private static TableRows tables(JsonMembers json, String subject) {
        TableRows tables = new TableRows();
        JsonMembers path = json.has("criticalPath") ? json.object("criticalPath") : null;
        for (TableId<?> table : Tables.all()) {
            JsonMembers holder = table.isOfPath() ? path : json;
            if (holder != null) {
                add(tables, table, holder, row -> ledger(row, subject));
            }
        }
        return tables.with(new TableNotes(json.textOrNone("steadyState"), null, 0, null));
    }

    /** Returns the ledger of a phase, or of the time of requests. */
    private static Ledger ledger(JsonMembers row, String subject) {
        return row.has("phase")
                ? ledger(row, subject, part(row, "phase"), stretch(row).durationNs())
                : ledger(row, row.text("name"), LedgerPart.REQUESTS, row.number("durationNs"));
    }

    private static <R extends Record & Row> void add(
            TableRows to, TableId<R> table, JsonMembers json, Function<JsonMembers, Ledger> ledger) {
        to.with(table, JsonRow.all(json, table.member(), table.row(), ledger));
    }

    private static Ledger window(List<Ledger> ledgers, Judged judged) {
        return ledgers.stream()
                .filter(ledger ->
                        ledger.part() == LedgerPart.WINDOW && ledger.subject().equals(judged.subject()))
                .findFirst()
                .orElse(ledgers.get(0));
    }

    static Stretch stretch(JsonMembers json) {
        return new Stretch(json.number("startNs"), json.number("endNs"));
    }

    private static Judged judged(JsonMembers json) {
        return new Judged(part(json, "what"), json.text("subject"), stretch(json));
    }

    private static BoundVerdict verdict(JsonMembers json) {
        return new BoundVerdict(
                bound(json, "bound"),
                json.text("claim"),
                json.decimal("marginPoints"),
                json.textOrNone("next").isEmpty() ? null : bound(json, "next"),
                json.objects(
                        "reasons",
                        reason -> new Reason(
                                reason.textOrNull("check"), reason.text("detail"), reason.textOrNull("remedy"))));
    }

    static LedgerPart part(JsonMembers json, String name) {
        return json.known(name, Arrays.asList(LedgerPart.values()), LedgerPart::id);
    }

    private static Bound bound(JsonMembers json, String name) {
        return json.known(name, Arrays.asList(Bound.values()), Bound::id);
    }

    private static Ledger ledger(JsonMembers json) {
        return ledger(json, json.text("subject"), part(json, "part"), json.number("durationNs"));
    }

    /** Rebuilds a ledger. */
    static Ledger ledger(JsonMembers json, String subject, LedgerPart part, long durationNs) {
        return new Ledger(subject, part, durationNs, json.objects("classes", JsonReportReader::entry));
    }

    private static Ledger.Entry entry(JsonMembers json) {
        return new Ledger.Entry(ledgerClass(json, "id"), json.number("ns"), isEstimated(json), json.number("boundNs"));
    }

    static LedgerClass ledgerClass(JsonMembers json, String name) {
        return json.known(name, Arrays.asList(LedgerClass.values()), LedgerClass::id);
    }

    static boolean isEstimated(JsonMembers json) {
        return json.text("basis").equals("estimated");
    }

    private static Finding finding(JsonMembers json) {
        return new Finding(
                json.text("rule"),
                json.known("severity", Arrays.asList(Severity.values()), Severity::id),
                json.text("claim"),
                json.number("costNs"),
                json.decimal("share"),
                json.text("of"),
                List.of(),
                List.of(),
                json.text("advice"),
                null,
                json.textOrNone("noGainBecause"));
    }
}
