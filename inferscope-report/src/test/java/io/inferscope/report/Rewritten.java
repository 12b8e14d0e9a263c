package io.inferscope.report;

import io.inferscope.analyzer.diff.Comparison;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Report;
import io.inferscope.timeline.ImportStats;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongUnaryOperator;
import java.util.function.UnaryOperator;

/** A report with every text, or every number, of it replaced: of every record, list and map inside, whatever the model gains. */
final class Rewritten {
    private final UnaryOperator<String> texts;
    private final LongUnaryOperator numbers;
    private final DoubleUnaryOperator ratios;

    private Rewritten(UnaryOperator<String> texts, LongUnaryOperator numbers, DoubleUnaryOperator ratios) {
        this.texts = texts;
        this.numbers = numbers;
        this.ratios = ratios;
    }

    /** Returns {@code report} with each of its texts rewritten. */
    static Report texts(Report report, UnaryOperator<String> texts) {
        return (Report) new Rewritten(texts, n -> n, r -> r).value(report);
    }

    /** Returns {@code comparison} with each of its texts rewritten. */
    static Comparison texts(Comparison comparison, UnaryOperator<String> texts) {
        return (Comparison) new Rewritten(texts, n -> n, r -> r).value(comparison);
    }

    /** Returns {@code report} with texts and numbers rewritten; ledgers keep theirs, which must sum. */
    static Report all(
            Report report, UnaryOperator<String> texts, LongUnaryOperator numbers, DoubleUnaryOperator ratios) {
        return (Report) new Rewritten(texts, numbers, ratios).value(report);
    }

    private Object value(Object value) {
        if (value instanceof String text) {
            return texts.apply(text);
        } else if (value instanceof Long number) {
            return numbers.applyAsLong(number);
        } else if (value instanceof Double number) {
            return ratios.applyAsDouble(number);
        } else if (value instanceof List<?> list) {
            return list.stream().map(this::value).toList();
        } else if (value instanceof Map<?, ?> map) {
            Map<Object, Object> copy = new LinkedHashMap<>();
            map.forEach((key, mapped) -> copy.put(value(key), value(mapped)));
            return copy;
        } else if (value instanceof Ledger ledger) {
            return new Ledger(texts.apply(ledger.subject()), ledger.part(), ledger.durationNs(), ledger.entries());
        } else if (value instanceof Finding.Gain gain) {
            long lowNs = numbers.applyAsLong(gain.lowNs()) & Long.MAX_VALUE;
            long highNs = Math.max(lowNs, numbers.applyAsLong(gain.highNs()));
            return new Finding.Gain(
                    lowNs, highNs, gain.assumptions().stream().map(texts).toList());
        } else if (value instanceof ImportStats stats) {
            return stats(stats);
        }
        return value instanceof Record record ? record(record) : value;
    }

    private Object record(Record record) {
        List<Class<?>> types = new ArrayList<>();
        List<Object> values = new ArrayList<>();
        try {
            for (RecordComponent component : record.getClass().getRecordComponents()) {
                component.getAccessor().setAccessible(true);
                Object value = component.getAccessor().invoke(record);
                types.add(component.getType());
                values.add(value == null ? null : value(value));
            }
            Constructor<?> constructor = record.getClass().getDeclaredConstructor(types.toArray(Class<?>[]::new));
            constructor.setAccessible(true);
            return constructor.newInstance(values.toArray());
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(record.getClass() + " " + values, e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private ImportStats stats(ImportStats stats) {
        ImportStats.Builder builder = new ImportStats.Builder();
        for (ImportStats.Entry entry : stats.entries()) {
            builder.source(texts.apply(entry.source()));
            builder.count(
                    entry.reason(),
                    Math.max(1, numbers.applyAsLong(entry.count())),
                    numbers.applyAsLong(entry.firstOffsetBytes()),
                    texts.apply(entry.firstDetail()));
        }
        return builder.build();
    }
}
