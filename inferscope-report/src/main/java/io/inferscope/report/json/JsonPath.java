package io.inferscope.report.json;

import io.inferscope.analyzer.model.PathTables;
import io.inferscope.analyzer.model.PathTables.ClassTime;
import io.inferscope.analyzer.model.PathTables.LineTime;
import io.inferscope.analyzer.model.PathTables.PathPiece;
import io.inferscope.analyzer.model.PathTables.TrackTime;
import io.inferscope.analyzer.model.PathTables.WorkTime;
import java.io.IOException;

/** The member {@code criticalPath} of the JSON report. */
record JsonPath(JsonWriter json) {
    void write(PathTables path) throws IOException {
        if (!path.isKnown()) {
            json.nothing("criticalPath");
            return;
        }
        json.object("criticalPath", () -> {
            json.number("ns", path.pathNs());
            json.number("replayErrorNs", path.replayErrorNs());
            json.number("instants", path.instants());
            json.number("dependencies", path.dependencies());
            json.objects("classes", path.classes(), this::classTime);
            json.objects("work", path.work(), this::work);
            json.objects("lines", path.lines(), this::line);
            json.objects("longest", path.longest(), this::piece);
            json.objects("tracks", path.tracks(), this::track);
        });
    }

    private void classTime(ClassTime time) throws IOException {
        json.text("id", time.ledgerClass().id());
        json.number("ns", time.ns());
    }

    private void work(WorkTime work) throws IOException {
        json.text("cause", work.cause().id());
        json.textOrNull("track", work.track());
        json.textOrNull("activity", work.activity());
        json.textOrNull("where", work.where());
        json.number("ns", work.ns());
        json.number("pieces", work.pieces());
    }

    private void line(LineTime line) throws IOException {
        json.text("where", line.where());
        json.text("cause", line.largest().id());
        json.number("ns", line.ns());
    }

    private void piece(PathPiece piece) throws IOException {
        json.number("startNs", piece.startNs());
        json.number("endNs", piece.endNs());
        json.text("cause", piece.cause().id());
        json.textOrNull("track", piece.track());
        json.textOrNull("activity", piece.activity());
        json.textOrNull("where", piece.where());
    }

    private void track(TrackTime track) throws IOException {
        json.text("track", track.track());
        json.number("ns", track.onPathNs());
        json.numberOrNull("slackNs", track.slackNs());
    }
}
