package io.inferscope.analyzer.model;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the values of a column are. Only kinds whose type has "or null" have values that are missing. */
public enum ColumnKind {
    /** A {@link String}: words of InferScope. */
    WORDS("text"),
    /** The same, or none. */
    WORDS_OR_NONE("text or null"),
    /** A {@link String} from the recording. */
    NAME("text"),
    /** The same, or none. */
    NAME_OR_NONE("text or null"),
    /** An {@link HasStableId} constant, by its id. */
    ID("text"),
    /** The same, or none. */
    ID_OR_NONE("text or null"),
    /** A {@link LedgerClass}: its id for programs, its label for people. */
    CLASS("text"),
    /** A {@link Boolean}: whether the figure is estimated. */
    BASIS("text"),
    /** A {@link Boolean}. */
    FLAG("flag"),
    /** A {@link Long}. */
    COUNT("number", MeasureUnit.COUNT),
    /** A length of time in ns, a {@link Long}. */
    NS("number", MeasureUnit.NS),
    /** The same, or none. */
    NS_OR_NONE("number or null", MeasureUnit.NS),
    /** The error bound of a time, either way, in ns, a {@link Long}. */
    ERROR_NS("number", MeasureUnit.NS),
    /** A point in time on the axis, in ns, a {@link Long}. */
    POINT("number"),
    /** A size, a {@link Long}. */
    BYTES("number", MeasureUnit.BYTES),
    /** The same, or none. */
    BYTES_OR_NONE("number or null", MeasureUnit.BYTES),
    /** A {@link Double} from 0 to 1, or none. */
    RATIO("number or null", MeasureUnit.RATIO),
    /** A time in ns, shown as a share of its table's total, a {@link Long}; only in tables for people. */
    SHARE("number or null"),
    /** A {@link Double} whose unit is in another column of the row. */
    VALUE("number"),
    /** Floating-point operations, a {@link Double}, or none. */
    FLOPS("number or null"),
    /** Floating-point operations a second, likewise. */
    FLOPS_PER_SECOND("number or null"),
    /** Memory traffic in bytes, likewise. */
    TRAFFIC("number or null", MeasureUnit.BYTES),
    /** Bytes a second, likewise. */
    BYTES_PER_SECOND("number or null", MeasureUnit.BYTES_PER_SECOND),
    /** Sizes of inputs as recorded, a {@link String}. */
    DIMS("text"),
    /** Types of inputs as recorded, a {@link String}, or none. */
    TYPES_OR_NONE("text or null"),
    /** A map of a {@link String} to a {@link Long}. */
    COUNTS("object"),
    /** A list of the tensors of a shape log. */
    TENSORS("array");

    private final String type;
    private final @Nullable MeasureUnit unit;

    ColumnKind(String type) {
        this(type, null);
    }

    ColumnKind(String type, @Nullable MeasureUnit unit) {
        this.type = type;
        this.unit = unit;
    }

    /** Returns the type of the member in the JSON report, as docs/report-json.md calls it. */
    public String type() {
        return type;
    }

    /** Returns whether a value may be missing. */
    public boolean isOptional() {
        return type.endsWith(" or null");
    }

    /** Returns what a row holds where the value is missing: an empty text, or null for a value that is no text. */
    public @Nullable Object none() {
        return this == WORDS_OR_NONE || this == NAME_OR_NONE || this == TYPES_OR_NONE ? "" : null;
    }

    /** Returns the unit of its values; empty if they are not amounts. */
    public Optional<MeasureUnit> unit() {
        return Optional.ofNullable(unit);
    }
}
