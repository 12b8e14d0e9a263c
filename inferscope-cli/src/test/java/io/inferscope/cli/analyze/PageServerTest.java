package io.inferscope.cli.analyze;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.Explained;
import io.inferscope.formats.Formats;
import io.inferscope.report.html.ServedPage;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class PageServerTest {
    @Test
    void thePageAndItsRangesAreServedBelowASecretNameAndNothingElseIs() throws Exception {
        Explained explained = new Analyzer()
                .explain(Formats.importers().load(Path.of("../examples/demo/decode.json")), "decode.json");
        try (PageServer server = new PageServer(new ServedPage(explained), 0)) {
            URI page = URI.create(server.address());
            assertThat(server.address()).matches("http://127\\.0\\.0\\.1:[0-9]+/[0-9a-f]{32}/");

            String html = new String(get(page).getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(html).contains("data-ranges=\"range\"", "connect-src &#39;self&#39;");
            byte[] range =
                    get(page.resolve("range?from=0&to=1000")).getInputStream().readAllBytes();
            assertThat(range).startsWith(0x1f, 0x8b);

            assertThat(get(page.resolve("range?from=0")).getResponseCode()).isEqualTo(400);
            assertThat(get(page.resolve("other")).getResponseCode()).isEqualTo(404);
            assertThat(get(page.resolve("/")).getResponseCode()).isEqualTo(404);

            HttpURLConnection foreign = get(page);
            foreign.setRequestProperty("Origin", "https://evil.example");
            assertThat(foreign.getHeaderField("Access-Control-Allow-Origin")).isNull();
        }
    }

    @Test
    void whoConnectsAndSaysNothingHoldsUpNobody() throws Exception {
        Explained explained = new Analyzer()
                .explain(Formats.importers().load(Path.of("../examples/demo/decode.json")), "decode.json");
        try (PageServer server = new PageServer(new ServedPage(explained), 0)) {
            URI page = URI.create(server.address());
            try (Socket silent = new Socket(InetAddress.getLoopbackAddress(), page.getPort())) {
                silent.getOutputStream().write("GET / HT".getBytes(StandardCharsets.US_ASCII));
                HttpURLConnection other = get(page.resolve("other"));
                other.setReadTimeout(30_000);
                assertThat(other.getResponseCode()).isEqualTo(404);
            }
        }
    }

    private static HttpURLConnection get(URI address) throws Exception {
        return (HttpURLConnection) address.toURL().openConnection();
    }
}
