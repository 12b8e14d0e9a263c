package io.inferscope.report.html;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Units;
import io.inferscope.report.scene.Scene;
import java.io.IOException;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The part of a page that its script draws: timeline and call stacks, their data, and the links that lead there.
 *
 * @param script the page's script, empty for none
 */
record HtmlTimeline(
        String suffix, String of, String script, @Nullable Scene scene, long zeroNs, String problem) {
    /** A page without it. */
    static final HtmlTimeline NONE = new HtmlTimeline("", "", "", null, 0, "");

    /**
     * Draws a recording. A failure loses the drawing, not the report.
     *
     * @param suffix of the ids of its elements, as {@code timeline.js} knows them, if it is one of two recordings
     * @param of a text that its headings then add, such as {@code " before: a.json"}
     */
    static HtmlTimeline of(String suffix, String of, Analysis analysis, Report report, Scene.Limits limits)
            throws IOException {
        try {
            Scene scene = Scene.of(analysis, report, limits);
            return new HtmlTimeline(
                    suffix,
                    of,
                    HtmlPage.source("timeline.js"),
                    scene,
                    report.window().startNs(),
                    "");
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            return new HtmlTimeline(suffix, of, "", null, 0, Report.Failure.describe(e));
        }
    }

    /**
     * Writes the elements in which the script draws; they are invisible without scripts.
     *
     * @param asks whether the page requests events that it lacks when it shows their interval
     */
    void write(Html html, boolean asks) {
        if (!problem.isEmpty()) {
            html.element("p", "The timeline is missing: InferScope failed at it (" + problem + ").");
        }
        if (scene == null) {
            return;
        }
        section(html, "timeline", "Timeline" + of, held(scene, asks));
    }

    /** Writes where the script draws call stacks. */
    void writeStacks(Html html) {
        if (scene != null) {
            section(html, "stacks", "Time by call stack" + of, "");
        }
    }

    private void section(Html html, String id, String title, String aside) {
        String heading = id + "-title" + suffix;
        html.open("section", "id", id + suffix, "class", "drawn", "aria-labelledby", heading, "hidden", "hidden");
        html.element("h2", title, "id", heading).line();
        if (!aside.isEmpty()) {
            html.element("p", aside, "class", "aside").line();
        }
        html.open("div", "id", id + "-view" + suffix).closeLine().closeLine();
    }

    private static String held(Scene scene, boolean asks) {
        String text =
                Units.count(scene.events() + (asks ? scene.leftOut() : 0)) + " events, times from the window's start.";
        if (scene.leftOut() > 0 && asks) {
            text += " Zoomed out, the page draws exactly when lanes were busy; zoomed in, it reads single events.";
        } else if (scene.leftOut() > 0) {
            text += " " + Units.count(scene.leftOut())
                    + " more are left out to keep the page small: each lane still shows exactly when it was busy, and every event near findings and in the slowest steps is included.";
        }
        if (scene.tooDeep() > 0) {
            text += " " + Units.count(scene.tooDeep()) + " events are not drawn: a track has at most "
                    + Units.count(Scene.MOST_LANES) + " lanes, and all of them were taken.";
        }
        if (scene.tracksLeftOut() > 0) {
            text += " " + Units.count(scene.tracksLeftOut()) + " threads and streams are not drawn.";
        }
        return text;
    }

    /**
     * Writes the script's data.
     *
     * @param ranges the address from which it requests the events of an interval; empty in a file
     */
    void writeData(Html html, String ranges) {
        if (scene != null) {
            html.open("script", "type", "application/octet-stream", "id", "recording" + suffix, "data-ranges", ranges)
                    .trusted(Base64.getEncoder().encodeToString(scene.compressed()))
                    .closeLine();
        }
    }

    /** Writes a link to evidence in the timeline, if the evidence has a time and there is a timeline. */
    void link(Html html, Evidence evidence) {
        if (scene == null) {
            return;
        }
        if (evidence instanceof Evidence.Range range) {
            link(
                    html,
                    "show",
                    range.label(),
                    new Scene.Landing(range.startNs(), range.endNs(), scene.track(range.track())));
        } else if (evidence instanceof Evidence.Place place) {
            scene.landing(place.where())
                    .ifPresent(landing ->
                            link(html, place.count() > 1 ? "show the longest" : "show", place.label(), landing));
        }
    }

    private void link(Html html, String words, String label, Scene.Landing to) {
        if (to.startNs() >= zeroNs) {
            html.text(" ")
                    .element(
                            "a",
                            words,
                            "href",
                            "#t=" + (to.startNs() - zeroNs) + "-" + (to.endNs() - zeroNs)
                                    + (to.track() < 0 ? "" : "&track=" + to.track()),
                            "aria-label",
                            words + " in the timeline: " + label);
        }
    }
}
