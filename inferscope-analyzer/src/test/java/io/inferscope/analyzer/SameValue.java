package io.inferscope.analyzer;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Compares two values member by member, as AssertJ's recursive comparison does, in a hundredth of its time: reports hold tens of thousands of values.
 * Records are compared by their components, classes of this project without {@code equals} by their fields, all else by {@code equals}.
 */
public final class SameValue {
    private static final Map<Class<?>, List<Member>> MEMBERS = new ConcurrentHashMap<>();

    private final Set<String> ignored;

    private SameValue(Set<String> ignored) {
        this.ignored = ignored;
    }

    private interface Reader {
        @Nullable
        Object read(Object owner) throws ReflectiveOperationException;
    }

    private record Member(String name, Reader reader) {}

    /** Fails with the path to the first difference. Members of an {@code ignored} name are not compared, wherever they are. */
    public static void assertSame(Object actual, Object expected, String... ignored) {
        new SameValue(Set.of(ignored))
                .compare(actual, expected, actual.getClass().getSimpleName());
    }

    private void compare(@Nullable Object actual, @Nullable Object expected, String path) {
        if (actual == expected) {
            return;
        }
        boolean alike = actual != null
                && expected != null
                && (actual.getClass() == expected.getClass() || (isCollection(actual) && isCollection(expected)));
        if (!alike) {
            throw different(actual, expected, path);
        }
        if (actual instanceof Map<?, ?> map && expected instanceof Map<?, ?> other) {
            compare(map.keySet(), other.keySet(), path + ".keys");
            map.forEach((key, value) -> compare(value, other.get(key), path + '[' + key + ']'));
        } else if (actual instanceof Set) {
            if (!actual.equals(expected)) {
                throw different(actual, expected, path);
            }
        } else if (actual instanceof Collection<?> values && expected instanceof Collection<?> others) {
            compareInOrder(values, others, path);
        } else if (actual.getClass().isArray()) {
            if (!Arrays.deepEquals(new Object[] {actual}, new Object[] {expected})) {
                throw different(actual, expected, path);
            }
        } else {
            List<Member> members = MEMBERS.computeIfAbsent(actual.getClass(), SameValue::members);
            if (members.isEmpty() && !actual.equals(expected)) {
                throw different(actual, expected, path);
            }
            for (Member member : members) {
                if (!ignored.contains(member.name)) {
                    compare(read(member, actual), read(member, expected), path + '.' + member.name);
                }
            }
        }
    }

    private static boolean isCollection(Object value) {
        return value instanceof Collection || value instanceof Map;
    }

    private void compareInOrder(Collection<?> values, Collection<?> others, String path) {
        if (values.size() != others.size()) {
            throw different(values, others, path + " of " + values.size() + " and " + others.size());
        }
        Iterator<?> other = others.iterator();
        int i = 0;
        for (Object value : values) {
            compare(value, other.next(), path + '[' + i++ + ']');
        }
    }

    private static AssertionError different(@Nullable Object actual, @Nullable Object expected, String path) {
        return new AssertionError(path + "\nis       " + actual + "\nexpected " + expected);
    }

    /** None for values of {@code equals}: those of the JDK, enums, and classes that define it. */
    private static List<Member> members(Class<?> type) {
        List<Member> members = new ArrayList<>();
        if (type.isRecord()) {
            for (RecordComponent component : type.getRecordComponents()) {
                members.add(new Member(component.getName(), accessible(component.getAccessor())::invoke));
            }
        } else if (type.getName().startsWith("io.inferscope") && !type.isEnum() && !definesEquals(type)) {
            for (Class<?> at = type; at != Object.class; at = at.getSuperclass()) {
                for (Field field : at.getDeclaredFields()) {
                    if (!Modifier.isStatic(field.getModifiers())) {
                        members.add(new Member(field.getName(), accessible(field)::get));
                    }
                }
            }
        }
        return members;
    }

    private static boolean definesEquals(Class<?> type) {
        try {
            return type.getMethod("equals", Object.class).getDeclaringClass() != Object.class;
        } catch (NoSuchMethodException e) {
            throw new LinkageError(type.getName(), e);
        }
    }

    private static <T extends AccessibleObject> T accessible(T member) {
        member.setAccessible(true);
        return member;
    }

    private static @Nullable Object read(Member member, Object owner) {
        try {
            return member.reader.read(owner);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(member.name, e);
        }
    }
}
