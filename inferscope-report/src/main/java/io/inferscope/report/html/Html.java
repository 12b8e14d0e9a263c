package io.inferscope.report.html;

import io.inferscope.report.common.PlainText;
import io.inferscope.report.common.Prose;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Writes HTML elements. Every text and every attribute's value passes through here and is escaped, so that nothing from
 * a trace becomes markup.
 */
public final class Html {
    private final StringBuilder out = new StringBuilder();
    private final Deque<String> open = new ArrayDeque<>();

    /** Opens an element; attributes come as name, value, name, value. */
    public Html open(String element, String... attributes) {
        tag(element, attributes);
        open.push(element);
        return this;
    }

    /** Closes the element opened last. */
    public Html close() {
        out.append("</").append(open.pop()).append('>');
        return this;
    }

    /** Closes the element opened last and ends the line. */
    public Html closeLine() {
        return close().line();
    }

    public Html line() {
        out.append('\n');
        return this;
    }

    /** Writes an element that has no content. */
    Html leaf(String element, String... attributes) {
        tag(element, attributes);
        return this;
    }

    /** Writes a whole element with text in it. */
    public Html element(String element, String text, String... attributes) {
        return open(element, attributes).text(text).close();
    }

    /** Opens a picture that is stretched to the width of its place. */
    Html picture(String css, int width, int height, String words) {
        String box = "0 0 " + width + " " + height;
        return open(
                "svg", "class", css, "role", "img", "preserveAspectRatio", "none", "viewBox", box, "aria-label", words);
    }

    /** Writes text, cleaned and escaped. */
    Html text(String text) {
        escape(PlainText.clean(text, PlainText.SENTENCE));
        return this;
    }

    /** Writes a name as code, if there is one. */
    Html name(String name) {
        String clean = PlainText.clean(name, PlainText.NAME);
        return clean.isBlank() ? this : element("code", clean);
    }

    /** Writes a sentence, its pieces of code as code. */
    public Html prose(Prose prose) {
        for (Prose.Run run : prose.runs()) {
            if (run.code()) {
                open("code");
            }
            escape(run.text());
            if (run.code()) {
                close();
            }
        }
        return this;
    }

    public Html prose(String sentence) {
        return prose(Prose.of(sentence));
    }

    /** Writes markup that InferScope itself made and that holds no text of a trace. */
    Html trusted(String markup) {
        out.append(markup);
        return this;
    }

    @Override
    public String toString() {
        if (!open.isEmpty()) {
            throw new IllegalStateException("still open: " + open);
        }
        return out.toString();
    }

    private void tag(String element, String... attributes) {
        out.append('<').append(element);
        for (int i = 0; i < attributes.length; i += 2) {
            out.append(' ').append(attributes[i]).append("=\"");
            escape(PlainText.clean(attributes[i + 1], PlainText.SENTENCE));
            out.append('"');
        }
        out.append('>');
    }

    private void escape(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> out.append("&amp;");
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '"' -> out.append("&quot;");
                case '\'' -> out.append("&#39;");
                default -> out.append(c);
            }
        }
    }
}
