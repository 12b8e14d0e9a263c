package io.inferscope.fleet;

import io.inferscope.analyzer.model.Identified;
import io.inferscope.formats.tables.Column;
import java.util.List;

/**
 * The tables that recordings are summarised in. Tables and columns are only ever added; a change of what a column means
 * is a new column. docs/fleet.md lists them from here.
 */
public enum FleetTable implements Identified {
    TRACE("One row per recording, also for one that could not be read.", """
            schema_version#: version of these tables
            trace_id: SHA-256 of the recording's bytes, in hex
            tool_version: version of InferScope that made the rows
            name: file name without folders
            format: format of the recording, null if it was not read
            service: label of this name, like the next three
            model:
            engine:
            engine_version:
            labels: all labels as a JSON object
            gpu: model of the judged device, else of the first
            devices#: devices with work
            start_unix_ns#: Unix time of the window's start, in ns, null if the recording does not say
            day: its date in UTC, as 2026-11-29
            window_ns#: first to last activity
            judged_part: part that the verdict is about, as in `ledger.part`
            judged_subject: device or thread that the verdict is about
            judged_ns#: length of that part
            verdict: what limits the program, `withheld` if that cannot be told
            trust: `ok`, `withheld` by a check of the trust gate, or `failed`: no other table has rows
            trust_check: first check that withheld the verdict
            problem: why the recording failed
            events#: rows of the recording
            broken_parts#: parts of the analysis that failed by a defect of InferScope
            """),
    LEDGER("The time of each class of each ledger. The classes of one subject and part sum to the part exactly.", """
            trace_id: the recording
            subject: device or thread
            device: id of the device, null for a thread
            part: `window`, `span`, `steady-state` or another part
            class: class of time
            busy#: 1 if the class is device work, else 0
            ns#: its time
            basis: `measured` or `estimated`
            error_ns#: error bound of an estimate, either way
            """),
    BLAME(
            "Idle time of devices by cause and place, the largest 200 of a recording; the others are summed by device,"
                    + " part and cause in rows without a place.",
            """
            trace_id: the recording
            device: id of the idle device
            part: `head`, `span` or `tail`
            cause: class of time
            state: state of the host thread that the device waited for
            activity: innermost scope, operator, function or call
            place: `file:line` of the innermost user frame
            gaps#: gaps that have a part in it
            ns#: idle time
            basis: `measured` or `estimated`
            error_ns#: error bound of an estimate, either way
            """),
    FINDING("What rules found, most important first, and rules that failed by a defect.", """
            trace_id: the recording
            rule: id of the rule
            status: `found` or `failed`
            severity: `critical`, `warning`, `info` or `healthy`
            cost_ns#: time that it costs
            gain_low_ns#: least time that a change saves, null if no gain is claimed
            gain_high_ns#: most time that a change saves
            place: first place of its evidence
            claim: what was found, or the problem
            """),
    METRIC("Every figure of docs/metrics.md that is known, by its long name.", """
            trace_id: the recording
            name: its name
            unit: `ratio`, `ns`, `bytes`, `bytes/s` or `count`
            value%: its value
            """),
    STEP("Steps by name, kind and phase.", """
            trace_id: the recording
            name: name of the step
            kind: `prefill`, `decode` or null
            phase: phase of the recording, null if none was found
            count#: how many steps
            total_ns#: sum of their lengths
            p50_ns#: median length
            p99_ns#: 99th percentile of their length
            max_ns#: longest
            """);

    /** Version of all tables together: grows when a column is added. */
    public static final long SCHEMA_VERSION = 1;

    /**
     * A column.
     *
     * @param column its name and type
     * @param meaning what it holds, for docs
     */
    public record Described(Column column, String meaning) {}

    private final String meaning;

    @SuppressWarnings("ImmutableEnumChecker") // The list does not change.
    private final List<Described> columns;

    FleetTable(String meaning, String columns) {
        this.meaning = meaning;
        this.columns = columns.lines()
                .map(line -> line.split(":", 2))
                .map(parts -> new Described(Column.of(parts[0]), parts[1].strip()))
                .toList();
    }

    /** Returns what the table holds, for docs. */
    public String meaning() {
        return meaning;
    }

    public List<Described> described() {
        return columns;
    }

    public List<Column> columns() {
        return columns.stream().map(Described::column).toList();
    }

    /** Returns columns of this table by their names, divided by blanks. */
    List<Column> columns(String names) {
        return List.of(names.split(" ")).stream()
                .map(name -> columns().stream()
                        .filter(column -> column.name().equals(name))
                        .findFirst()
                        .orElseThrow())
                .toList();
    }
}
