package io.inferscope.timeline.importer;

import io.inferscope.timeline.files.KnowledgeTable;
import io.inferscope.timeline.text.ShellText;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Files that are no recordings InferScope reads, and that users may take for one: {@code no-recordings.tsv}. */
public final class KnownNonTraces {
    private static final Pattern PLACEHOLDER = Pattern.compile("%s|THIS");

    /**
     * What files of one kind are.
     *
     * @param pattern is found in the name of the file, a line break, and its first bytes
     * @param what may name the pattern's first group; in the remedy, it is a member's path in jq
     */
    private record Other(Pattern pattern, String what, String remedy) {
        static Other of(String[] cells) {
            String pattern = cells[0].equals("name")
                    ? "\\A[^\\n]*" + cells[1] + "\\n"
                    : "\\A[^\\n]*\\n(?:\\u00ef\\u00bb\\u00bf)?" + cells[1];
            return new Other(Pattern.compile(pattern), cells[2], cells[3]);
        }
    }

    private KnownNonTraces() {}

    /** Throws if a file that no importer reads is one of these. */
    public static void refuse(Path file, TraceHead head) throws ImportException {
        String text = file.getFileName() + "\n" + head.text();
        for (Other other : KnowledgeTable.read(KnownNonTraces.class, "no-recordings.tsv", Other::of)) {
            Matcher matcher = other.pattern.matcher(text);
            if (matcher.find()) {
                String first = matcher.groupCount() > 0 ? matcher.group(1) : "";
                throw new ImportException(
                        file.toString(),
                        "is " + other.what.replace("%s", String.valueOf(first)),
                        remedy(other.remedy, String.valueOf(first), String.valueOf(file.getFileName())));
            }
        }
    }

    /** Returns a remedy in which what the file says, and its name, are one word each of a command. */
    private static String remedy(String remedy, String member, String name) {
        return PLACEHOLDER
                .matcher(remedy)
                .replaceAll(found -> Matcher.quoteReplacement(
                        found.group().equals("THIS") ? ShellText.file(name) : ShellText.quoted(".\"" + member + "\"")));
    }
}
