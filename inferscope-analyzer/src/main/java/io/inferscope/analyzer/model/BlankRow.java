package io.inferscope.analyzer.model;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Makes rows by reflection. It takes some 1 ms per type, so it must not be used while writing reports. */
public final class BlankRow {
    private BlankRow() {}

    /** Returns a row of a type with blank values, none of which is missing. */
    public static <T extends Record> T of(Class<T> type) {
        return make(
                type,
                Arrays.stream(type.getRecordComponents())
                        .map(component -> blank(component.getType()))
                        .toArray());
    }

    /** Returns the row with these values of its components. */
    public static <T extends Record> T make(Class<T> type, Object... values) {
        Class<?>[] types = Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new);
        try {
            return type.getDeclaredConstructor(types).newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(type + " cannot be made of " + Arrays.toString(values), e);
        }
    }

    private static Object blank(Class<?> type) {
        if (type == long.class || type == Long.class) {
            return 0L;
        }
        if (type == double.class || type == Double.class) {
            return 0.0;
        }
        if (type == boolean.class) {
            return false;
        }
        if (type == String.class) {
            return "";
        }
        if (type == List.class) {
            return List.of();
        }
        if (type == Map.class) {
            return Map.of();
        }
        return type.isEnum() ? type.getEnumConstants()[0] : of(type.asSubclass(Record.class));
    }
}
