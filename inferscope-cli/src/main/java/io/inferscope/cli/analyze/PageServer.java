package io.inferscope.cli.analyze;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.inferscope.report.html.ServedPage;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Serves one page and its ranges on the loopback interface, under a name that cannot be guessed. */
final class PageServer implements AutoCloseable {
    private static final Pattern QUERY = Pattern.compile("from=(\\d{1,18})&to=(\\d{1,18})");

    private final HttpServer server;
    private final ServedPage page;
    private final String folder;

    /** Starts serving. A port of 0 takes any. */
    PageServer(ServedPage page, int port) throws IOException {
        byte[] random = new byte[16];
        new SecureRandom().nextBytes(random);
        this.page = page;
        folder = "/" + HexFormat.of().formatHex(random) + "/";
        server = HttpServer.create(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port), 0);
        server.setExecutor(eachOnItsOwn());
        server.createContext("/", this::answer);
        server.start();
    }

    /**
     * Returns an executor that runs exchanges concurrently, so that a client that sends nothing does not block others.
     */
    static Executor eachOnItsOwn() {
        return Executors.newCachedThreadPool(exchange -> {
            Thread thread = new Thread(exchange, "inferscope-page");
            thread.setDaemon(true);
            return thread;
        });
    }

    String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + folder;
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            boolean get = exchange.getRequestMethod().equals("GET");
            if (get && path.equals(folder)) {
                StringBuilder html = new StringBuilder();
                synchronized (page) {
                    page.write(html);
                }
                send(exchange, "text/html; charset=utf-8", html.toString().getBytes(StandardCharsets.UTF_8));
            } else if (get && path.equals(folder + ServedPage.RANGES)) {
                range(exchange);
            } else {
                exchange.sendResponseHeaders(404, -1);
            }
        }
    }

    private void range(HttpExchange exchange) throws IOException {
        String query = exchange.getRequestURI().getQuery();
        Matcher asked = QUERY.matcher(query == null ? "" : query);
        if (asked.matches()) {
            byte[] range;
            synchronized (page) {
                range = page.range(Long.parseLong(asked.group(1)), Long.parseLong(asked.group(2)));
            }
            send(exchange, "application/octet-stream", range);
        } else {
            exchange.sendResponseHeaders(400, -1);
        }
    }

    private static void send(HttpExchange exchange, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        exchange.sendResponseHeaders(200, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
