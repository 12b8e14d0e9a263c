package io.inferscope.cli.query;

import static io.inferscope.analyzer.model.ColumnKind.CLASS;
import static io.inferscope.analyzer.model.ColumnKind.COUNT;
import static io.inferscope.analyzer.model.ColumnKind.ID;
import static io.inferscope.analyzer.model.ColumnKind.ID_OR_NONE;
import static io.inferscope.analyzer.model.ColumnKind.NAME;
import static io.inferscope.analyzer.model.ColumnKind.NAME_OR_NONE;
import static io.inferscope.analyzer.model.ColumnKind.NS;
import static io.inferscope.analyzer.model.ColumnKind.NS_OR_NONE;
import static io.inferscope.analyzer.model.ColumnKind.POINT;
import static io.inferscope.analyzer.model.ColumnKind.WORDS;
import static io.inferscope.analyzer.model.ColumnKind.WORDS_OR_NONE;

import io.inferscope.analyzer.model.Columns;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.RequestTables.RequestPart;
import io.inferscope.analyzer.model.Row;
import io.inferscope.analyzer.steps.Step;

/** Rows of tables that only {@code query} has. Their records are public for {@code BlankRow}. */
public final class QueryRows {
    private QueryRows() {}

    /** The time of one class of one ledger. */
    public record LedgerRow(String subject, LedgerPart part, Ledger.Entry entry) implements Row {
        @Override
        public void columns(Columns to) {
            to.add("subject", WORDS, "", subject);
            to.add("part", ID, "", part);
            to.add("class", CLASS, "", entry.ledgerClass());
            to.add("ns", NS, "", entry.ns());
            to.basis(entry.estimated(), entry.boundNs());
        }
    }

    public record StepRow(Step step) implements Row {
        @Override
        public void columns(Columns to) {
            to.add("name", NAME, "", step.name());
            to.add("kind", WORDS_OR_NONE, "", step.kind());
            to.add("phase", ID_OR_NONE, "", step.phase());
            to.add("startNs", POINT, "", step.startNs());
            to.add("ns", NS, "", step.durationNs());
        }
    }

    /** One finding; {@code number} is its rank, from 1 on. */
    public record FindingRow(long number, Finding finding) implements Row {
        @Override
        public void columns(Columns to) {
            Finding.Gain gain = finding.gain();
            to.add("number", COUNT, "", number);
            to.add("rule", WORDS, "", finding.rule());
            to.add("severity", ID, "", finding.severity());
            to.add("claim", WORDS, "", finding.claim());
            to.add("ns", NS, "", finding.costNs());
            to.add("of", WORDS_OR_NONE, "", finding.of());
            to.add(
                    "where",
                    NAME_OR_NONE,
                    "",
                    finding.places().stream().findFirst().orElse(""));
            to.add("advice", WORDS_OR_NONE, "", finding.advice());
            to.add("gainLowNs", NS_OR_NONE, "", gain == null ? null : gain.lowNs());
            to.add("gainHighNs", NS_OR_NONE, "", gain == null ? null : gain.highNs());
        }
    }

    /** One part of the time of the requests of one kind. */
    public record RequestPartRow(String name, String process, long requests, RequestPart part) implements Row {
        @Override
        public void columns(Columns to) {
            to.add("name", NAME, "", name);
            to.add("process", NAME, "", process);
            to.add("requests", COUNT, "", requests);
            to.part(RequestPart.class, part);
        }
    }
}
