package io.inferscope.report;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Finds objects inside a JSON tree. */
final class JsonPaths {
    private JsonPaths() {}

    /** Returns every object at a path of member names, through arrays and past nulls; the empty path is the root. */
    static List<Map<String, Object>> objects(Object root, String path) {
        List<Object> at = List.of(root);
        for (String name : path.isEmpty() ? new String[0] : path.split("\\.")) {
            List<Object> next = new ArrayList<>();
            at.forEach(object -> flatten(JsonTree.object(object).get(name), next));
            at = next;
        }
        return at.stream().map(JsonTree::object).toList();
    }

    private static void flatten(Object value, List<Object> into) {
        if (value instanceof Collection<?> list) {
            into.addAll(list);
        } else if (value != null) {
            into.add(value);
        }
    }

    static String type(Object value) {
        if (value == null) {
            return "null";
        } else if (value instanceof Boolean) {
            return "flag";
        } else if (value instanceof String) {
            return "text";
        } else if (value instanceof Map) {
            return "object";
        } else if (value instanceof Collection) {
            return "array";
        }
        return value instanceof Double || value instanceof BigDecimal ? "decimal" : "whole";
    }

    /** Collects the names of all members. */
    static void names(Object value, Collection<String> into) {
        if (value instanceof Map<?, ?> map) {
            map.forEach((name, member) -> {
                into.add((String) name);
                names(member, into);
            });
        } else if (value instanceof Collection<?> list) {
            list.forEach(element -> names(element, into));
        }
    }
}
