package io.inferscope.report.html;

import com.vladsch.flexmark.ext.tables.TablesExtension;
import com.vladsch.flexmark.html.HtmlRenderer;
import com.vladsch.flexmark.parser.Parser;
import com.vladsch.flexmark.util.data.MutableDataSet;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The pages docs/rules/ID.md as HTML: what a rule means, how it is computed, when it is wrong. They are InferScope's
 * own text, never a trace's. No other part of a report is written in Markdown, so only they load flexmark (some 150 ms
 * of CPU).
 */
final class RulePages {
    private static final Pattern ID = Pattern.compile("[a-z0-9][a-z0-9-]{0,63}");
    private static final Pattern TITLE = Pattern.compile("\\A\\s*# .*\\R");
    private static final Pattern HEADING = Pattern.compile("(</?)h[1-6]>");
    private static final Pattern LINK = Pattern.compile("</?(?:a|img)\\b[^>]*>");

    private final String folder;

    RulePages() {
        this("rules/");
    }

    /** Reads pages from a folder beside this class. */
    RulePages(String folder) {
        this.folder = folder;
    }

    /**
     * Returns the page of a rule without its title, its headings below the fourth level and without links, or nothing
     * where there is none.
     */
    Optional<String> html(String rule) throws IOException {
        if (!ID.matcher(rule).matches()) {
            return Optional.empty();
        }
        try (InputStream in = RulePages.class.getResourceAsStream(folder + rule + ".md")) {
            return in == null ? Optional.empty() : Optional.of(html(in.readAllBytes()));
        }
    }

    private static String html(byte[] page) {
        String markdown =
                TITLE.matcher(new String(page, StandardCharsets.UTF_8)).replaceFirst("");
        String html = Flexmark.html(markdown);
        html = LINK.matcher(html).replaceAll("");
        return HEADING.matcher(html).replaceAll(heading -> Matcher.quoteReplacement(heading.group(1) + "h4>"));
    }

    /** A class of its own, so that a report without rule pages does not load the library. */
    private static final class Flexmark {
        private static final Parser PARSER;
        private static final HtmlRenderer RENDERER;

        static {
            MutableDataSet options = new MutableDataSet();
            options.set(Parser.EXTENSIONS, List.of(TablesExtension.create()));
            options.set(HtmlRenderer.ESCAPE_HTML, true);
            PARSER = Parser.builder(options).build();
            RENDERER = HtmlRenderer.builder(options).build();
        }

        static String html(String markdown) {
            return RENDERER.render(PARSER.parse(markdown));
        }
    }
}
