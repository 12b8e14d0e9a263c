package io.inferscope.report;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A look at HTML from outside: its elements with the names of their attributes, and its text. */
final class HtmlCheck {
    private static final Pattern TAG = Pattern.compile("<(/?[a-zA-Z][a-zA-Z0-9]*|!--)([^>]*)>?");
    private static final Pattern ATTRIBUTE = Pattern.compile("\\s([a-zA-Z-]+)=\"[^\"]*\"");

    private HtmlCheck() {}

    /** Returns each kind of element as {@code name attribute attribute}. Anything that looks like a tag counts. */
    static Set<String> elements(String html) {
        Set<String> elements = new TreeSet<>();
        Matcher tag = TAG.matcher(html.replaceAll("(?s)<style>.*?</style>", "<style></style>"));
        while (tag.find()) {
            StringBuilder element = new StringBuilder(tag.group(1));
            Matcher attribute = ATTRIBUTE.matcher(tag.group(2));
            while (attribute.find()) {
                element.append(' ').append(attribute.group(1));
            }
            elements.add(element.toString());
        }
        return elements;
    }

    /** Returns the text between the tags, entities resolved and white space collapsed. */
    static String text(String html) {
        return collapsed(html.replaceAll("(?s)<style>.*?</style>", "")
                .replaceAll("<[^>]*>", "")
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&#39;", "'")
                .replace("&amp;", "&"));
    }

    static String collapsed(String text) {
        return text.replaceAll("\\s+", " ").strip();
    }
}
