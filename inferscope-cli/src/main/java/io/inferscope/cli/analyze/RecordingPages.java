package io.inferscope.cli.analyze;

import io.inferscope.cli.analyze.LoopbackServer.Page;
import io.inferscope.report.html.ServedPage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The page of a recording and its ranges, as they are served. */
record RecordingPages(ServedPage page) implements LoopbackServer.Pages {
    private static final Pattern RANGE = Pattern.compile(ServedPage.RANGES + "\\?from=(\\d{1,18})&to=(\\d{1,18})");

    @Override
    public synchronized Page at(String path) throws IOException {
        if (path.isEmpty()) {
            StringBuilder html = new StringBuilder();
            page.write(html);
            return Page.of(
                    "Content-Type: text/html; charset=utf-8\r\n",
                    html.toString().getBytes(StandardCharsets.UTF_8));
        }
        Matcher asked = RANGE.matcher(path);
        if (asked.matches()) {
            return Page.of(
                    "Content-Type: application/octet-stream\r\n",
                    page.range(Long.parseLong(asked.group(1)), Long.parseLong(asked.group(2))));
        }
        return path.startsWith(ServedPage.RANGES) ? Page.BAD_REQUEST : Page.NOT_FOUND;
    }
}
