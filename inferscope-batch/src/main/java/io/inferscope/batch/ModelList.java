package io.inferscope.batch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Lists of models: one name or path a line. {@code #} after a blank begins a comment. Of equal lines only the first is
 * used.
 */
public final class ModelList {
    private static final Pattern COMMENT = Pattern.compile("(^|\\s)#.*");

    /** Control characters, and the replacement character for bytes that are not UTF-8. */
    private static final Pattern NO_TEXT = Pattern.compile("[\\p{Cntrl}\uFFFD]");

    /** Some editors write it at the beginning of a file. */
    private static final String BYTE_ORDER_MARK = "\uFEFF";

    private ModelList() {}

    /**
     * Returns the names in a file, in its order; relative paths are below the working folder, as on the command line.
     *
     * @throws IOException when the file cannot be read or a line is not text; the message names the line
     */
    public static List<String> read(Path file) throws IOException {
        Set<String> names = new LinkedHashSet<>();
        String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        String[] lines = (text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text).split("\\R", -1);
        for (int i = 0; i < lines.length; i++) {
            String name = COMMENT.matcher(lines[i]).replaceFirst("").strip();
            if (NO_TEXT.matcher(name).find()) {
                throw new IOException(file + ":" + (i + 1) + ": no text; expected one model a line");
            }
            if (!name.isEmpty()) {
                names.add(name);
            }
        }
        return List.copyOf(names);
    }

    /**
     * Returns the models of {@code names} that are not among {@code skipped}, each once. If two models would have the
     * same folder name, one gets another name.
     */
    public static List<ModelRef> of(List<String> names, List<String> skipped) {
        Set<String> left = new HashSet<>();
        skipped.forEach(name -> left.add(ModelRef.of(name).id()));
        Map<String, ModelRef> byId = new LinkedHashMap<>();
        for (String name : names) {
            ModelRef model = ModelRef.of(name);
            if (!left.contains(model.id())) {
                byId.putIfAbsent(model.id(), model);
            }
        }
        Map<String, Integer> folders = new LinkedHashMap<>();
        byId.values().forEach(model -> folders.merge(model.folder(), 1, Integer::sum));
        return byId.values().stream()
                .map(model -> folders.getOrDefault(model.folder(), 1) > 1 ? model.apart() : model)
                .toList();
    }
}
