package io.inferscope.report.common;

import io.inferscope.analyzer.model.Report;
import java.io.IOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Renders a report in the words of its devices: what is no GPU is called what its id begins with, as in {@code TPU:0}.
 *
 * @param renderer writes the report as one about a GPU
 */
public record DeviceWord(Renderer renderer) implements Renderer {
    private static final Pattern ID = Pattern.compile("(?:.* )?([A-Z]{3,5}):\\d+");
    private static final String GPU = "GPU";

    /** What is quoted, which may be a name of the recording or of the user. */
    private static final String QUOTED = "`[^`\n]*`|\"[^\"\n]*\"|&quot;[^\n]*?&quot;";

    /** The word in a sentence, with what follows of an id that says it already; no part of a path or of another name. */
    private static final Pattern WORD = Pattern.compile(
            QUOTED + "|(?<![\\w./\\\\'-])GPU(?: [A-Z]{3,5}:\\d|(?=s?(?:-[a-z]+)*\\.?(?![\\w./\\\\-])))");

    @Override
    public String format() {
        return renderer.format();
    }

    @Override
    public void render(Report report, Appendable out) throws IOException {
        String word = of(report);
        if (word.equals(GPU)) {
            renderer.render(report, out);
        } else {
            StringBuilder text = new StringBuilder();
            renderer.render(report, text);
            out.append(WORD.matcher(text).replaceAll(found -> Matcher.quoteReplacement(replaced(found.group(), word))));
        }
    }

    private static String replaced(String found, String word) {
        return found.startsWith(GPU + ' ' + word + ':')
                ? found.substring(GPU.length() + 1)
                : found.startsWith(GPU) ? word + found.substring(GPU.length()) : found;
    }

    /** Returns the word that all devices of a report begin with, otherwise {@code GPU}. */
    private static String of(Report report) {
        List<String> words = report.rows(Report.DEVICES).stream()
                .map(device -> ID.matcher(device.id()))
                .map(id -> id.matches() ? id.group(1) : GPU)
                .distinct()
                .toList();
        return words.size() == 1 ? words.get(0) : GPU;
    }
}
