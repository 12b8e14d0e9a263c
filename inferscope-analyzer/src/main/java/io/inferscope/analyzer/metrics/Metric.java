package io.inferscope.analyzer.metrics;

import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.MeasureUnit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A figure with a name.
 *
 * @param name stable name, such as {@code window.copy.h2d.share}
 * @param shortName another name, such as {@code wall}; empty for none
 * @param unit the unit of its values
 * @param description a short description
 * @param source reads its value
 */
public record Metric(String name, String shortName, MeasureUnit unit, String description, Source source)
        implements LimitSubject {
    /** How a figure is read. */
    @FunctionalInterface
    public interface Source {
        /** Returns the figure; empty where the recording does not hold it. */
        OptionalDouble read(FigureSource facts);

        /** Returns why there is no figure where there is none. */
        default String absence(FigureSource facts) {
            return "not recorded";
        }

        /** Returns the ledger that contains the figure; empty if the figure is not a ledger time. */
        default Optional<Ledger> ledger(FigureSource facts) {
            return Optional.empty();
        }

        /** Returns the classes whose time the figure is; none if it is not a ledger time. */
        default List<LedgerClass> classes() {
            return List.of();
        }
    }

    /** Returns the figure; empty where the recording does not hold it. */
    public OptionalDouble read(FigureSource facts) {
        return source.read(facts);
    }

    /** Returns the same with another description. */
    Metric described(String other) {
        return new Metric(name, shortName, unit, other, source);
    }
}
