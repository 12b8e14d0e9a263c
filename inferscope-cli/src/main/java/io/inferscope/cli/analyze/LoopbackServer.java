package io.inferscope.cli.analyze;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An HTTP server for one browser on this machine: it answers GET requests below a name that cannot be guessed, one a
 * connection.
 *
 * <p>Other users and foreign web pages can connect, too. So a request must name this address as its host, which the page
 * of a name that was rebound to this address does not; at most {@link #MOST_CONNECTIONS} connections are open, none
 * longer than its time; and a new connection replaces the oldest one that has not sent its request.
 */
final class LoopbackServer implements AutoCloseable {
    static final int MOST_CONNECTIONS = 16;
    /** Time that a request may take to arrive. */
    static final long REQUEST_MS = 10_000;
    /** Time that an answer may take to be read. */
    static final long ANSWER_MS = 300_000;

    /** Not accepted yet; the kernel makes further ones try again after a second. */
    private static final int WAITING_CONNECTIONS = 128;

    private static final long REFUSED_NS = 10_000_000;
    private static final int MOST_REQUEST_BYTES = 16 << 10;
    private static final String END = "\r\n\r\n";
    private static final Pattern REQUEST = Pattern.compile("GET (/[!-~]*) HTTP/1\\.[01]");
    private static final String HOST = "Host:";

    private final ServerSocket listener;
    private final String folder;
    private final long requestMs;
    private final long answerMs;
    private final Pages pages;
    private final ThreadFactory threads;
    private final ScheduledThreadPoolExecutor deadlines;
    /** Open connections, the oldest first, and whether the request has arrived. */
    private final Map<Socket, Boolean> open = new LinkedHashMap<>();

    /** What is served. */
    interface Pages {
        /** Returns the answer to a path below the secret name, with its query. */
        Page at(String path) throws IOException;
    }

    /** Writes the bytes of an answer. */
    interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    /**
     * An answer.
     *
     * @param headers whole lines, of this answer alone
     */
    record Page(String status, String headers, long sizeBytes, Content content) {
        static final Page NOT_FOUND = refused("404 Not Found");
        static final Page BAD_REQUEST = refused("400 Bad Request");
        static final Page MISDIRECTED = refused("421 Misdirected Request");

        static Page of(String headers, long sizeBytes, Content content) {
            return new Page("200 OK", headers, sizeBytes, content);
        }

        static Page of(String headers, byte[] body) {
            return of(headers, body.length, out -> out.write(body));
        }

        private static Page refused(String status) {
            return new Page(status, "", 0, out -> {});
        }
    }

    /**
     * Starts serving.
     *
     * @param port 0 takes any
     */
    LoopbackServer(int port, Pages pages) throws IOException {
        this(port, REQUEST_MS, ANSWER_MS, pages, LoopbackServer::daemon);
    }

    LoopbackServer(int port, long requestMs, long answerMs, Pages pages, ThreadFactory threads) throws IOException {
        byte[] random = new byte[16];
        new SecureRandom().nextBytes(random);
        folder = "/" + HexFormat.of().formatHex(random) + "/";
        this.requestMs = requestMs;
        this.answerMs = answerMs;
        this.pages = pages;
        this.threads = threads;
        deadlines = new ScheduledThreadPoolExecutor(1, threads);
        deadlines.setRemoveOnCancelPolicy(true);
        listener = new ServerSocket(port, WAITING_CONNECTIONS, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
        threads.newThread(this::accept).start();
    }

    /** Returns the address of the folder of all pages. */
    String address() {
        return "http://" + host() + folder;
    }

    private String host() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "inferscope-page");
        thread.setDaemon(true);
        return thread;
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                if (!admit(socket) || !started(socket)) {
                    socket.close();
                }
            } catch (IOException | OutOfMemoryError gone) {
                // The client left, the server was closed, or the process has no file or memory left.
                LockSupport.parkNanos(REFUSED_NS);
            }
        }
    }

    private boolean started(Socket socket) {
        try {
            threads.newThread(() -> serve(socket)).start();
            return true;
        } catch (OutOfMemoryError noThread) {
            done(socket);
            return false;
        }
    }

    private synchronized boolean admit(Socket socket) throws IOException {
        if (open.size() == MOST_CONNECTIONS) {
            for (Map.Entry<Socket, Boolean> one : open.entrySet()) {
                if (!one.getValue()) {
                    one.getKey().close(); // Its thread ends by that.
                    open.remove(one.getKey());
                    break;
                }
            }
        }
        return open.size() < MOST_CONNECTIONS && open.put(socket, false) == null;
    }

    private synchronized void arrived(Socket socket) {
        open.replace(socket, true);
    }

    private synchronized void done(Socket socket) {
        open.remove(socket);
    }

    private void serve(Socket socket) {
        try (socket;
                OutputStream out = new BufferedOutputStream(socket.getOutputStream())) {
            Future<?> deadline = closeAfter(requestMs, socket);
            String request = request(socket.getInputStream());
            deadline.cancel(false);
            arrived(socket);
            deadline = closeAfter(answerMs, socket);
            send(answer(request, host(), folder, pages), out);
            deadline.cancel(false);
        } catch (IOException | RejectedExecutionException | OutOfMemoryError ended) {
            // By the client, its deadline, a newer connection, the end of the server or a lack of memory or threads.
        } finally {
            done(socket);
        }
    }

    private Future<?> closeAfter(long ms, Socket socket) {
        return deadlines.schedule(
                () -> {
                    socket.close();
                    return socket;
                },
                ms,
                TimeUnit.MILLISECONDS);
    }

    /** Reads a request up to its body; what is too long or ends early is returned in part. */
    private static String request(InputStream in) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        String text = "";
        byte[] part = new byte[MOST_REQUEST_BYTES];
        for (int count = 0; count >= 0 && bytes.size() < MOST_REQUEST_BYTES && !text.contains(END); ) {
            count = in.read(part);
            bytes.write(part, 0, Math.max(0, count));
            text = bytes.toString(StandardCharsets.ISO_8859_1);
        }
        return text;
    }

    /** Returns the answer to a request. */
    static Page answer(String request, String host, String folder, Pages pages) throws IOException {
        String[] lines = request.substring(0, Math.max(0, request.indexOf(END))).split("\r\n", -1);
        Matcher asked = REQUEST.matcher(lines[0]);
        List<String> hosts = Arrays.stream(lines)
                .filter(line -> line.regionMatches(true, 0, HOST, 0, HOST.length()))
                .map(line -> line.substring(HOST.length()).strip())
                .toList();
        if (!asked.matches() || hosts.size() != 1) {
            return Page.BAD_REQUEST;
        }
        if (!hosts.get(0).equals(host)) {
            return Page.MISDIRECTED;
        }
        String path = asked.group(1);
        return path.startsWith(folder) ? pages.at(path.substring(folder.length())) : Page.NOT_FOUND;
    }

    private static void send(Page page, OutputStream out) throws IOException {
        String head = "HTTP/1.1 " + page.status() + "\r\nContent-Length: " + page.sizeBytes()
                + "\r\nConnection: close\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer"
                + "\r\nX-Content-Type-Options: nosniff\r\n" + page.headers() + "\r\n";
        out.write(head.getBytes(StandardCharsets.ISO_8859_1));
        page.content().writeTo(out);
        out.flush();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        deadlines.shutdownNow();
        synchronized (this) {
            for (Socket socket : open.keySet()) {
                socket.close();
            }
        }
    }
}
