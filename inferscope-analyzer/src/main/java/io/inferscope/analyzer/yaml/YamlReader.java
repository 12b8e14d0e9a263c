package io.inferscope.analyzer.yaml;

import io.inferscope.analyzer.yaml.YamlValue.Entry;
import io.inferscope.analyzer.yaml.YamlValue.Group;
import io.inferscope.analyzer.yaml.YamlValue.Items;
import io.inferscope.analyzer.yaml.YamlValue.Text;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * Reads one YAML 1.2 document. Scalars stay text, so that no word becomes a boolean by accident. Anchors are refused: a
 * value used in several places has no single line, and nested anchors can expand to any size.
 */
public final class YamlReader {
    /** Largest document. Files of settings are a few pages long. */
    private static final int MOST_CHARS = 1 << 20;

    private static final int DEEPEST = 50;
    private static final String TOO_DEEP = "nested more than " + DEEPEST + " deep";

    private YamlReader() {}

    /** Returns the document; an empty group where there is none. */
    public static YamlValue read(String text) throws YamlException {
        if (text.length() > MOST_CHARS) {
            throw new YamlException(0, "longer than 1 MiB, too large for settings");
        }
        try {
            LoadSettings settings = LoadSettings.builder()
                    .setUseMarks(true)
                    .setAllowNonScalarKeys(true) // Refused below, with InferScope's own message.
                    .setCodePointLimit(MOST_CHARS)
                    .build();
            Optional<Node> root = new Compose(settings).composeString(text);
            return root.isPresent() ? value(root.get(), 0) : new Group(1, List.of());
        } catch (MarkedYamlEngineException e) {
            int line = e.getProblemMark().map(mark -> mark.getLine() + 1).orElse(0);
            throw new YamlException(line, oneLine(e.getProblem()));
        } catch (YamlEngineException e) {
            throw new YamlException(0, oneLine(String.valueOf(e.getMessage())));
        } catch (StackOverflowError e) { // The parser has no limit on nesting.
            throw new YamlException(0, TOO_DEEP);
        }
    }

    private static YamlValue value(Node node, int depth) throws YamlException {
        int line = line(node);
        if (node.getAnchor().isPresent()) {
            throw new YamlException(line, "anchors (&) and aliases (*) are not read here: write the value out");
        }
        if (depth > DEEPEST) {
            throw new YamlException(line, TOO_DEEP);
        }
        if (node instanceof ScalarNode scalar) {
            return new Text(line, scalar.getValue());
        }
        if (node instanceof SequenceNode sequence) {
            List<YamlValue> values = new ArrayList<>();
            for (Node item : sequence.getValue()) {
                values.add(value(item, depth + 1));
            }
            return new Items(line, values);
        }
        return group((MappingNode) node, line, depth);
    }

    /** The library's messages quote the unexpected character, even a line break. */
    private static String oneLine(String message) {
        return message.replaceAll("\\s+", " ").strip();
    }

    private static Group group(MappingNode node, int line, int depth) throws YamlException {
        List<Entry> entries = new ArrayList<>();
        Set<String> keys = new HashSet<>();
        for (NodeTuple tuple : node.getValue()) {
            YamlValue key = value(tuple.getKeyNode(), depth + 1);
            if (!(key instanceof Text name)) {
                throw new YamlException(key.line(), "a key must be a text, not " + key.kind());
            }
            if (!keys.add(name.value())) {
                throw new YamlException(key.line(), "'" + name.value() + "' is given a second time");
            }
            entries.add(new Entry(key.line(), name.value(), value(tuple.getValueNode(), depth + 1)));
        }
        return new Group(line, entries);
    }

    private static int line(Node node) {
        return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
    }
}
