package io.inferscope.cli.analyze;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.analyzer.Analyzer;
import io.inferscope.cli.analyze.LoopbackServer.Page;
import io.inferscope.formats.Formats;
import io.inferscope.report.html.ServedPage;
import io.inferscope.timeline.fixture.Until;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(120)
class LoopbackServerTest {
    private static final long LONG_MS = 100_000;
    private static final Page HELLO = Page.of("", "hello".getBytes(StandardCharsets.US_ASCII));

    @Test
    void thePageAndItsRangesAreServedBelowASecretNameAndNothingElseIs() throws Exception {
        AnalyzedReport explained = new Analyzer()
                .explain(Formats.importers().load(Path.of("../examples/demo/decode.json")), "decode.json");
        try (LoopbackServer server = server(LONG_MS, new RecordingPages(new ServedPage(explained)))) {
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
            assertThat(foreign.getHeaderField("Referrer-Policy")).isEqualTo("no-referrer");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GET /s/ HTTP/1.1|Host: 127.0.0.1:9, 200",
        "GET /s/ HTTP/1.1|Accept: a|hOST:  127.0.0.1:9 , 200",
        "GET /s/ HTTP/1.1|Host: evil.example:9, 421", // Its name was rebound to this address.
        "GET /s/ HTTP/1.1|Host: 127.0.0.1, 421",
        "GET /s/ HTTP/1.1|Host: 127.0.0.1:9|Host: evil.example, 400",
        "GET /s/ HTTP/1.1|X-Host: 127.0.0.1:9, 400",
        "GET /s/ HTTP/1.1, 400",
        "GET /t/ HTTP/1.1|Host: 127.0.0.1:9, 404",
        "GET /s HTTP/1.1|Host: 127.0.0.1:9, 404",
        "GET http://127.0.0.1:9/s/ HTTP/1.1|Host: 127.0.0.1:9, 400",
        "POST /s/ HTTP/1.1|Host: 127.0.0.1:9, 400",
        "GET /s/ HTTP/2.0|Host: 127.0.0.1:9, 400",
        "GET /s/, 400",
        "'', 400",
    })
    void onlyAGetRequestThatNamesThisAddressIsAnswered(String lines, int status) throws Exception {
        String request = lines.replace("|", "\r\n") + "\r\n\r\n";

        Page page = LoopbackServer.answer(request, "127.0.0.1:9", "/s/", path -> HELLO);

        assertThat(page.status()).startsWith(status + " ");
        assertThat(LoopbackServer.answer(request.strip(), "127.0.0.1:9", "/s/", path -> HELLO))
                .as("cut before its end")
                .isEqualTo(Page.BAD_REQUEST);
    }

    @Test
    void aForeignHostIsRefusedOnTheWire() throws Exception {
        try (LoopbackServer server = server(LONG_MS, path -> HELLO);
                Socket client = connect(server)) {
            String path = URI.create(server.address()).getPath();
            write(client, "GET " + path + " HTTP/1.1\r\nHost: rebound.example\r\n\r\n");

            assertThat(new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .startsWith("HTTP/1.1 421 ")
                    .doesNotContain("hello");
        }
    }

    @Test
    void hundredsOfSilentConnectionsTakeFewThreadsAndHoldUpNobody() throws Exception {
        try (LoopbackServer server = server(LONG_MS, path -> HELLO)) {
            List<Socket> silent = new ArrayList<>();
            try {
                for (int i = 0; i < 300; i++) {
                    Socket client = connect(server);
                    silent.add(client);
                    write(client, "GET / HT");
                }
                assertThat(get(URI.create(server.address())).getResponseCode()).isEqualTo(200);
                assertThat(threads()).isLessThanOrEqualTo(3 * LoopbackServer.MOST_CONNECTIONS);
            } finally {
                for (Socket client : silent) {
                    client.close();
                }
            }
        }
    }

    @Test
    void aClientThatSendsItsRequestForEverIsClosed() throws Exception {
        try (LoopbackServer server = server(200, path -> HELLO);
                Socket slow = connect(server)) {
            write(slow, "GET / HT");

            assertThat(slow.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void aRequestWithoutEndIsRefused() throws Exception {
        try (LoopbackServer server = server(LONG_MS, path -> HELLO);
                Socket client = connect(server)) {
            write(client, "GET / HTTP/1.1\r\n" + "a: b\r\n".repeat(3_000));

            assertThat(new String(client.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                    .isEqualTo("HTTP/1.1 400");
        }
    }

    @Test
    void answersThatNobodyReadsDoNotKeepNewConnectionsForEver() throws Exception {
        byte[] part = new byte[1 << 16];
        LoopbackServer.Pages pages = path -> path.isEmpty()
                ? HELLO
                : Page.of("", Long.MAX_VALUE, out -> {
                    while (true) {
                        out.write(part);
                    }
                });
        try (LoopbackServer server = new LoopbackServer(0, LONG_MS, 200, pages, LoopbackServer::daemon)) {
            URI page = URI.create(server.address());
            List<Socket> unread = new ArrayList<>();
            try {
                for (int i = 0; i < LoopbackServer.MOST_CONNECTIONS; i++) {
                    Socket client = connect(server);
                    unread.add(client);
                    write(
                            client,
                            "GET " + page.getPath() + "endless HTTP/1.1\r\nHost: " + page.getAuthority() + "\r\n\r\n");
                }
                Until.holds(() -> answers(page));
            } finally {
                for (Socket client : unread) {
                    client.close();
                }
            }
        }
    }

    @Test
    void aThreadThatCannotBeStartedCostsOneConnectionOnly() throws Exception {
        AtomicInteger threads = new AtomicInteger();
        ThreadFactory few = work -> {
            int number = threads.incrementAndGet(); // The first accepts.
            if (number > 1 && number < 2 * LoopbackServer.MOST_CONNECTIONS) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return LoopbackServer.daemon(work);
        };
        try (LoopbackServer server = new LoopbackServer(0, LONG_MS, LONG_MS, path -> HELLO, few)) {
            Until.holds(() -> answers(URI.create(server.address())));
        }
    }

    private static LoopbackServer server(long requestMs, LoopbackServer.Pages pages) throws IOException {
        return new LoopbackServer(0, requestMs, LONG_MS, pages, LoopbackServer::daemon);
    }

    /** Returns whether a request is answered, rather than its connection closed. */
    private static boolean answers(URI page) throws Exception {
        try {
            return get(page).getResponseCode() == 200;
        } catch (IOException closed) {
            return false;
        }
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("inferscope-page"))
                .count();
    }

    private static Socket connect(LoopbackServer server) throws IOException {
        return new Socket(
                InetAddress.getLoopbackAddress(), URI.create(server.address()).getPort());
    }

    private static void write(Socket client, String text) {
        try {
            client.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException closed) {
            // By the server, before all was written.
        }
    }

    private static HttpURLConnection get(URI address) throws Exception {
        return (HttpURLConnection) address.toURL().openConnection();
    }
}
