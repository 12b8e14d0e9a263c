package io.inferscope.report.html;

import io.inferscope.report.common.PlainText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;

/**
 * One HTML file that loads nothing: no font, no picture, no script but its own. Its policy forbids all requests and all
 * other scripts, so a name that was not escaped still cannot run.
 */
public final class HtmlPage {
    private HtmlPage() {}

    /** Writes the content of the page. */
    public interface Content {
        void write(Html html) throws IOException;
    }

    /**
     * Writes a page.
     *
     * @param title its heading
     * @param skipTo the target of the first link, such as {@code findings}: the id of a heading, and the words of the
     *     link
     * @param script InferScope's own script, empty for none
     */
    public static void write(String title, String skipTo, String script, Appendable out, Content content)
            throws IOException {
        write(title, skipTo, script, false, out, content);
    }

    /**
     * Writes a page whose script may send requests.
     *
     * @param asks whether its script may send requests to the page's own server
     */
    static void write(String title, String skipTo, String script, boolean asks, Appendable out, Content content)
            throws IOException {
        Html html = new Html();
        html.trusted("<!DOCTYPE html>\n").open("html", "lang", "en").line();
        head(html, title, source("report.css"), script, asks);
        html.open("body")
                .line()
                .element("a", "Skip to the " + skipTo, "class", "skip", "href", "#" + skipTo)
                .line();
        html.open("header").open("p", "class", "product").text("InferScope").close();
        html.open("h1").text(PlainText.shorten(title, PlainText.NAME)).close().closeLine();
        html.open("main").line();
        content.write(html);
        html.closeLine();
        if (!script.isEmpty()) {
            html.open("script").trusted(script).closeLine();
        }
        html.closeLine();
        html.closeLine();
        out.append(html.toString());
    }

    /** Writes sentences as a list; nothing without any. */
    public static void list(Html html, List<String> sentences) {
        if (!sentences.isEmpty()) {
            html.open("ul");
            sentences.forEach(sentence -> html.open("li").prose(sentence).close());
            html.closeLine();
        }
    }

    private static void head(Html html, String title, String style, String script, boolean asks) {
        html.open("head").line().leaf("meta", "charset", "utf-8").line();
        html.leaf("meta", "http-equiv", "Content-Security-Policy", "content", policy(style, script, asks))
                .line();
        html.leaf("meta", "name", "viewport", "content", "width=device-width, initial-scale=1")
                .line();
        html.leaf("meta", "name", "color-scheme", "content", "light dark").line();
        html.element("title", "InferScope: " + PlainText.shorten(title, PlainText.NAME))
                .line();
        html.open("style").trusted(style).closeLine().closeLine();
    }

    private static String policy(String style, String script, boolean asks) {
        String scripts = script.isEmpty() ? "'none'" : "'sha256-" + sha256(script) + "'";
        return "default-src 'none'; script-src " + scripts + "; style-src 'sha256-" + sha256(style)
                + (asks ? "'; connect-src 'self" : "")
                + "'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
    }

    /** Reads a script or a style sheet, without comments and indentation, which only authors need. No text spans lines. */
    static String source(String name) throws IOException {
        return resource(name).replaceAll("(?m)^ *(?://.*\\R)?", "");
    }

    /** Reads a part of every page. */
    static String resource(String name) throws IOException {
        try (InputStream in = HtmlPage.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException(name + " is missing from InferScope's own archive");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String sha256(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
