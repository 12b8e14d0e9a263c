package io.inferscope.analyzer.yaml;

import java.util.List;
import java.util.Optional;

/** A value of a YAML file. Lines count from 1. */
public sealed interface YamlValue {
    /** Returns the line on which it begins. */
    int line();

    /** Returns the kind of value for messages: {@code a text}, {@code a list}, {@code a group}. */
    String kind();

    /**
     * A word, a number or a sentence; its reader interprets it.
     *
     * @param value the text as written, without quotes; may be empty
     */
    record Text(int line, String value) implements YamlValue {
        @Override
        public String kind() {
            return "a text";
        }
    }

    record Items(int line, List<YamlValue> values) implements YamlValue {
        public Items {
            values = List.copyOf(values);
        }

        @Override
        public String kind() {
            return "a list";
        }
    }

    /** Keys with their values, in the order of the file; no key occurs twice. */
    record Group(int line, List<Entry> entries) implements YamlValue {
        public Group {
            entries = List.copyOf(entries);
        }

        @Override
        public String kind() {
            return "a group";
        }

        public Optional<YamlValue> get(String key) {
            return entries.stream()
                    .filter(entry -> entry.key().equals(key))
                    .map(Entry::value)
                    .findFirst();
        }
    }

    /**
     * A key with its value.
     *
     * @param line the line of the key
     */
    record Entry(int line, String key, YamlValue value) {}
}
