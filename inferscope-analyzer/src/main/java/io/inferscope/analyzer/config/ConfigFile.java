package io.inferscope.analyzer.config;

import io.inferscope.analyzer.yaml.YamlException;
import io.inferscope.analyzer.yaml.YamlReader;
import io.inferscope.analyzer.yaml.YamlValue;
import io.inferscope.analyzer.yaml.YamlValue.Entry;
import io.inferscope.analyzer.yaml.YamlValue.Group;
import io.inferscope.analyzer.yaml.YamlValue.Items;
import io.inferscope.analyzer.yaml.YamlValue.Text;
import io.inferscope.timeline.text.Nearest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** A file of settings while it is read: its content, and the problems found so far. Not thread-safe. */
public final class ConfigFile {
    /** Longest quotation in a problem, so that a problem is one line. */
    private static final int LONGEST_TEXT = 500;

    /** A file of settings is a few pages. */
    private static final int MOST_BYTES = 1 << 20;

    /** What is wrong in many places is wrong in one way. */
    private static final int MOST_PROBLEMS = 100;

    private final String name;
    private final List<Problem> problems = new ArrayList<>();
    private int problemCount;
    private final Group root;

    private ConfigFile(String name, byte[] bytes) {
        this.name = name;
        this.root = parse(bytes);
    }

    /**
     * Reads a file's bytes. Errors become {@link #problems}.
     *
     * @param name what to call the file
     */
    public static ConfigFile of(String name, byte[] bytes) {
        return new ConfigFile(name, bytes);
    }

    /**
     * Reads a file of at most 1 MiB; a pipe is read to its end.
     *
     * @param name what to call the file
     * @throws IOException when it cannot be read, or is larger
     */
    public static ConfigFile read(String name, Path path) throws IOException {
        try (InputStream in = Files.newInputStream(path)) {
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new IOException("it is larger than 1 MiB, so it is not a settings file");
            }
            return of(name, bytes);
        }
    }

    private Group parse(byte[] bytes) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            YamlValue value = YamlReader.read(text);
            if (value instanceof Group group) {
                return group;
            }
            if (!(value instanceof Text nothing) || !nothing.value().isEmpty()) {
                problem(value.line(), "expected keys with values, such as 'thresholds:', not " + value.kind());
            }
        } catch (CharacterCodingException e) {
            problem(0, "is not a text in UTF-8");
        } catch (YamlException e) {
            problem(e.line(), e.problem());
        }
        return new Group(1, List.of());
    }

    /** Returns the content of the file; an empty group if it cannot be read. */
    public Group root() {
        return root;
    }

    /** Returns the first problems, in the order of the file. */
    public List<Problem> problems() {
        return List.copyOf(problems);
    }

    /** Returns the number of problems so far, of which the first ones are listed. */
    int problemCount() {
        return problemCount;
    }

    /** Notes that something is wrong. */
    public void problem(int line, String text) {
        problemCount++;
        if (problemCount <= MOST_PROBLEMS) {
            boolean tooLong = text.length() > LONGEST_TEXT;
            problems.add(new Problem(name, line, tooLong ? text.substring(0, LONGEST_TEXT) + "..." : text));
        } else if (problemCount == MOST_PROBLEMS + 1) {
            problems.add(new Problem(name, line, "more problems, from here on, are not listed"));
        }
    }

    /** Notes every unknown key of the file. */
    public void refuseOthers(Collection<String> known) {
        for (Entry entry : root.entries()) {
            if (!known.contains(entry.key())) {
                unknown(entry.line(), "key", entry.key(), known);
            }
        }
    }

    /** Adds a problem about an unknown name, with the closest known name. */
    void unknown(int line, String what, String found, Collection<String> known) {
        String hint = problemCount < MOST_PROBLEMS ? Nearest.hint(found, known) : "";
        problem(line, "unknown " + what + " '" + found + "'" + hint);
    }

    /** Returns {@code rules.yaml:7}. */
    public String place(int line) {
        return name + ":" + line;
    }

    /** Returns the entries of a group; adds a problem if the value is not a group. */
    List<Entry> entries(YamlValue value, String what) {
        if (value instanceof Group group) {
            return group.entries();
        }
        if (!isNothing(value)) {
            problem(value.line(), what + " must be a group of keys with values, not " + value.kind());
        }
        return List.of();
    }

    /** Returns the items of a list; adds a problem if the value is not a list. */
    List<YamlValue> items(YamlValue value, String what) {
        if (value instanceof Items items) {
            return items.values();
        }
        if (!isNothing(value)) {
            problem(value.line(), what + " must be a list, not " + value.kind());
        }
        return List.of();
    }

    /** Returns a non-empty text; adds a problem if the value is not one. */
    public Optional<String> text(YamlValue value, String what) {
        if (value instanceof Text text && !text.value().isBlank()) {
            return Optional.of(text.value().strip());
        }
        problem(value.line(), what + " must be a text, not " + (isNothing(value) ? "nothing" : value.kind()));
        return Optional.empty();
    }

    private static boolean isNothing(YamlValue value) {
        return value instanceof Text text && text.value().isBlank();
    }
}
