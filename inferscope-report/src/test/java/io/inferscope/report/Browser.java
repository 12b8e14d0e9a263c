package io.inferscope.report;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A headless Chromium that tests drive by the DevTools protocol over a local WebSocket: one for all tests, started when first asked for
 * and ended with the JVM. Pages are asked by {@code Runtime.evaluate}, which a page's policy does not forbid.
 */
final class Browser implements AutoCloseable {
    private static final long LIMIT_SECONDS = 240;
    private static Browser shared;

    private final Process process;
    private final Path profile;
    private final WebSocket socket;
    private final AtomicInteger ids = new AtomicInteger();
    private final Map<Integer, CompletableFuture<Map<String, Object>>> answers = new ConcurrentHashMap<>();
    private final List<Map<String, Object>> events = new CopyOnWriteArrayList<>();

    /** Returns the browser of all tests; skips the test where there is none. */
    static synchronized Browser shared() throws Exception {
        if (shared == null) {
            shared = new Browser(Files.createTempDirectory("inferscope-chromium"));
            Runtime.getRuntime().addShutdownHook(new Thread(shared::close));
        }
        return shared;
    }

    private Browser(Path profile) throws Exception {
        this.profile = profile;
        Chromium chromium = Chromium.find(profile);
        process = new ProcessBuilder(
                        chromium.binary().toString(),
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-background-networking",
                        "--no-first-run",
                        "--enable-precise-memory-info",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectErrorStream(true)
                .redirectOutput(profile.resolve("log").toFile())
                .start();
        socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(URI.create(address()), new Listener())
                .get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    /** Chromium writes its port and the path of its socket once it listens. */
    private String address() throws IOException, InterruptedException {
        Path file = profile.resolve("DevToolsActivePort");
        long giveUpNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (System.nanoTime() < giveUpNs) {
            List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
            if (lines.size() > 1) {
                return "ws://127.0.0.1:" + lines.get(0) + lines.get(1);
            }
            Thread.sleep(20);
        }
        throw new AssertionError("Chromium opened no port within " + LIMIT_SECONDS + " s");
    }

    /** Opens an empty page. */
    Page page() throws Exception {
        String target = (String)
                call("", "Target.createTarget", "\"url\":\"about:blank\"").get("targetId");
        String session = (String) call("", "Target.attachToTarget", "\"targetId\":\"" + target + "\",\"flatten\":true")
                .get("sessionId");
        Page page = new Page(target, session);
        for (String domain : List.of("Page", "Runtime", "Network", "Log")) {
            page.call(domain + ".enable", "");
        }
        return page;
    }

    private Map<String, Object> call(String session, String method, String parameters) throws Exception {
        int id = ids.incrementAndGet();
        CompletableFuture<Map<String, Object>> answer = new CompletableFuture<>();
        answers.put(id, answer);
        String text = "{\"id\":" + id + (session.isEmpty() ? "" : ",\"sessionId\":\"" + session + "\"")
                + ",\"method\":\"" + method + "\",\"params\":{" + parameters + "}}";
        synchronized (socket) {
            socket.sendText(text, true).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        }
        try {
            Map<String, Object> message = answer.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            if (message.containsKey("error")) {
                throw new AssertionError(method + ": " + message.get("error"));
            }
            return JsonTree.object(message.get("result"));
        } catch (TimeoutException | ExecutionException e) {
            throw new AssertionError(method + " was not answered", e);
        }
    }

    static String quoted(String text) {
        return "\"" + String.valueOf(JsonStringEncoder.getInstance().quoteAsString(text)) + "\"";
    }

    @Override
    public void close() {
        process.destroy();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
            try (Stream<Path> files = Files.walk(profile)) {
                files.sorted(Comparator.reverseOrder())
                        .forEach(file -> file.toFile().delete());
            }
        } catch (IOException | InterruptedException e) {
            process.destroyForcibly();
        }
    }

    /** One tab. */
    final class Page implements AutoCloseable {
        private final String target;
        private final String session;

        Page(String target, String session) {
            this.target = target;
            this.session = session;
        }

        Map<String, Object> call(String method, String parameters) throws Exception {
            return Browser.this.call(session, method, parameters);
        }

        /** Sets the size of the screen, and media features as in {@code prefers-color-scheme=dark}. */
        Page like(int width, int height, String... features) throws Exception {
            call(
                    "Emulation.setDeviceMetricsOverride",
                    "\"width\":" + width + ",\"height\":" + height + ",\"deviceScaleFactor\":1,\"mobile\":false");
            List<String> media = new ArrayList<>();
            for (String feature : features) {
                String[] pair = feature.split("=", 2);
                media.add("{\"name\":" + quoted(pair[0]) + ",\"value\":" + quoted(pair[1]) + "}");
            }
            call("Emulation.setEmulatedMedia", "\"features\":[" + String.join(",", media) + "]");
            return this;
        }

        /** Loads an address and waits until the page is loaded and its timeline, if it has one, is drawn. */
        Page open(String address) throws Exception {
            events.clear();
            call("Page.navigate", "\"url\":" + quoted(address));
            await("document.readyState === 'complete' && location.href !== 'about:blank'");
            evaluate("window.inferscope ? window.inferscope.ready.then(() => new Promise(done => "
                    + "requestAnimationFrame(() => requestAnimationFrame(() => done(1))))) : 0");
            return this;
        }

        /** Waits until an expression is true. */
        void await(String expression) throws Exception {
            long giveUpNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
            while (!Boolean.TRUE.equals(evaluate(expression))) {
                if (System.nanoTime() > giveUpNs) {
                    throw new AssertionError("never true: " + expression);
                }
                Thread.sleep(10);
            }
        }

        /** Returns the value of an expression, promises awaited. */
        Object evaluate(String expression) throws Exception {
            Map<String, Object> answer = call(
                    "Runtime.evaluate",
                    "\"expression\":" + quoted(expression) + ",\"awaitPromise\":true,\"returnByValue\":true");
            if (answer.containsKey("exceptionDetails")) {
                throw new AssertionError(expression + ": " + answer.get("exceptionDetails"));
            }
            return JsonTree.object(answer.get("result")).get("value");
        }

        double number(String expression) throws Exception {
            return ((Number) evaluate(expression)).doubleValue();
        }

        /** Presses and releases a key such as {@code Tab}, {@code Enter} or {@code n}. */
        void press(String key) throws Exception {
            String text = key.length() == 1 ? key : key.equals("Enter") ? "\r" : "";
            int code = switch (key) {
                case "Tab" -> 9;
                case "Enter" -> 13;
                case "Escape" -> 27;
                case "ArrowLeft" -> 37;
                case "ArrowUp" -> 38;
                case "ArrowRight" -> 39;
                case "ArrowDown" -> 40;
                default -> Character.toUpperCase(key.charAt(0));
            };
            String common = "\"key\":" + quoted(key) + ",\"windowsVirtualKeyCode\":" + code;
            call(
                    "Input.dispatchKeyEvent",
                    "\"type\":\"keyDown\"," + common + (text.isEmpty() ? "" : ",\"text\":" + quoted(text)));
            call("Input.dispatchKeyEvent", "\"type\":\"keyUp\"," + common);
        }

        /** Returns what the page wrote to the console and to the browser's log since it was opened, policy violations included. */
        List<String> messages() {
            return events("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded");
        }

        /** Returns what the page asked for since it was opened. */
        List<String> requests() {
            return events("Network.requestWillBeSent");
        }

        private List<String> events(String... methods) {
            return events.stream()
                    .filter(event -> session.equals(event.get("sessionId"))
                            && List.of(methods).contains(event.get("method")))
                    .map(event -> String.valueOf(event.get("params")))
                    .toList();
        }

        /** Writes what is seen as a PNG file. */
        void picture(Path file) throws Exception {
            String png = (String)
                    call("Page.captureScreenshot", "\"format\":\"png\"").get("data");
            Files.write(file, Base64.getDecoder().decode(png));
        }

        @Override
        public void close() {
            try {
                Browser.this.call("", "Target.closeTarget", "\"targetId\":\"" + target + "\"");
            } catch (Exception e) {
                throw new AssertionError("the page is not closed", e);
            }
        }
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder message = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            message.append(data);
            if (last) {
                take(message.toString());
                message.setLength(0);
            }
            from.request(1);
            return null;
        }

        private void take(String text) {
            try {
                Map<String, Object> parsed = JsonTree.object(JsonTree.of(text));
                if (parsed.get("id") instanceof Number id) {
                    answers.remove(id.intValue()).complete(parsed);
                } else {
                    events.add(parsed);
                }
            } catch (RuntimeException e) {
                answers.values().forEach(answer -> answer.completeExceptionally(e));
            }
        }
    }

    /** Takes pictures: {@code Browser PAGE.html OUT.png WIDTH HEIGHT [HASH] [dark] [EXPRESSION]}. */
    public static void main(String[] arguments) throws Exception {
        List<String> given = List.of(arguments);
        boolean dark = given.contains("dark");
        try (Page page = shared().page()) {
            page.like(
                    Integer.parseInt(given.get(2)),
                    Integer.parseInt(given.get(3)),
                    "prefers-color-scheme=" + (dark ? "dark" : "light"));
            page.open(Path.of(given.get(0)).toUri() + (given.size() > 4 ? given.get(4) : ""));
            if (given.size() > 6) {
                System.out.println(page.evaluate(given.get(6)));
            }
            Thread.sleep(300);
            page.picture(Path.of(given.get(1)));
            page.messages().forEach(System.out::println);
        }
        System.exit(0);
    }
}
