package io.inferscope.report.json;

import io.inferscope.analyzer.model.BlankRow;
import io.inferscope.analyzer.model.ColumnKind;
import io.inferscope.analyzer.model.Columns;
import io.inferscope.analyzer.model.HasStableId;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads a row from the members that {@link JsonColumns} wrote, column by column, into the values of its components. */
final class JsonRow implements Columns {
    /** Values of columns that reports of older versions do not have. */
    private static final Map<String, Long> YOUNGER =
            Map.of("pieces", 1L, "tokenGaps", 0L, "slowTokens", 0L, "slowTokensMoreNs", 0L);

    private final JsonMembers json;
    private final Function<JsonMembers, Ledger> ledger;
    private final List<@Nullable Object> values = new ArrayList<>();

    private JsonRow(JsonMembers json, Function<JsonMembers, Ledger> ledger) {
        this.json = json;
        this.ledger = ledger;
    }

    /** Returns the rows of an array. */
    static <T extends Record & Row> List<T> all(JsonMembers json, String id, Class<T> type) {
        return all(json, id, type, row -> {
            throw new IllegalArgumentException(type + " has no ledger");
        });
    }

    /** Returns the rows of an array; {@code ledger} reads a row's classes. */
    static <T extends Record & Row> List<T> all(
            JsonMembers json, String id, Class<T> type, Function<JsonMembers, Ledger> ledger) {
        return json.objects(id, row -> new JsonRow(row, ledger).read(type));
    }

    private <T extends Record & Row> T read(Class<T> type) {
        BlankRow.of(type).columns(this);
        return BlankRow.make(type, values.toArray());
    }

    @Override
    public Columns take(String id, ColumnKind kind, String heading, @Nullable Object blank) {
        values.add(kind.isOptional() && !json.has(id) ? kind.none() : value(id, kind, blank));
        return this;
    }

    private Object value(String id, ColumnKind kind, @Nullable Object blank) {
        return switch (kind) {
            case WORDS, WORDS_OR_NONE, NAME, NAME_OR_NONE, DIMS, TYPES_OR_NONE -> json.text(id);
            case ID, ID_OR_NONE, CLASS -> constant(id, blank);
            case BASIS -> json.text(id).equals("estimated");
            case FLAG -> json.flag(id);
            case COUNT, NS, NS_OR_NONE, ERROR_NS, POINT, BYTES, BYTES_OR_NONE, SHARE -> number(id);
            case RATIO, VALUE, FLOPS, FLOPS_PER_SECOND, TRAFFIC, BYTES_PER_SECOND -> json.decimal(id);
            case COUNTS -> counts(json.object(id));
            case TENSORS -> throw new IllegalArgumentException("tensors are not read again");
        };
    }

    private HasStableId constant(String id, @Nullable Object blank) {
        Class<?> type = ((Enum<?>) Objects.requireNonNull(blank)).getDeclaringClass();
        return json.known(id, Arrays.asList((HasStableId[]) type.getEnumConstants()), HasStableId::id);
    }

    private long number(String id) {
        Long otherwise = YOUNGER.get(id);
        return otherwise == null ? json.number(id) : json.numberOr(id, otherwise);
    }

    private static Map<String, Long> counts(JsonMembers json) {
        Map<String, Long> counts = new TreeMap<>();
        json.members().keySet().forEach(name -> counts.put(name, json.number(name)));
        return counts;
    }

    @Override
    public Columns derived(String id, ColumnKind kind, @Nullable Object value) {
        return this; // It is computed from other columns.
    }

    @Override
    public <T extends Record & Row> Columns rows(String id, Class<T> type, List<T> rows) {
        values.add(all(json, id, type));
        return this;
    }

    @Override
    public <T extends Record & Row> void part(Class<T> type, T part) {
        values.add(new JsonRow(json, ledger).read(type));
    }

    @Override
    public void stretch(Stretch stretch) {
        values.add(JsonReportReader.stretch(json));
    }

    @Override
    public void classes(Ledger blank) {
        values.add(ledger.apply(json));
    }
}
