package io.inferscope.collectors.jvm;

import io.inferscope.collectors.os.Signals;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends a diagnostic command to a HotSpot JVM like {@code jcmd}: through the JVM's attach socket, which the JVM opens
 * on SIGQUIT if a file {@code .attach_pid<pid>} is in its folder for temporary files. Source: JDK, AttachListener and
 * VirtualMachineImpl of Linux; protocol version 1, which every release so far supports. The file is removed; the socket
 * and the JVM's listening thread remain until the JVM ends.
 */
record AttachChannel(ProcessView process) {
    private static final long LISTEN_TIMEOUT_NS = 5_000_000_000L;
    private static final long POLL_MS = 20;
    private static final long ANSWER_TIMEOUT_S = 20;

    /**
     * Answer of a JVM without JFR, and of JDK 25 before it has registered its commands: JDK, DCmd::parse_and_execute.
     */
    private static final String UNKNOWN_COMMAND = "Unknown diagnostic command";

    /** The JVM takes no longer argument in version 1. */
    private static final int MAX_ARGUMENT_BYTES = 1023;

    /** Longest answer. A JVM's answers are a few lines, but the process that answers may not be a JVM. */
    private static final int MAX_ANSWER_BYTES = 1 << 20;

    /**
     * Executes a diagnostic command and returns its output.
     *
     * @throws AttachRefused when the JVM does not answer, or answers with a failure
     */
    String execute(String command) throws AttachRefused {
        if (command.getBytes(StandardCharsets.UTF_8).length > MAX_ARGUMENT_BYTES) {
            throw new AttachRefused("the path of the recording is too long for the JVM");
        }
        Path socket = process.temporaryFolder().resolve(".java_pid" + process.innerPid());
        try {
            if (!Files.exists(socket)) {
                openListener(socket);
            }
            String owner = String.valueOf(Files.getAttribute(socket, "unix:uid"));
            if (!owner.equals(process.user())) {
                throw new AttachRefused("its attach socket belongs to somebody else");
            }
            return ask(socket, command);
        } catch (IOException | UnsupportedOperationException e) {
            throw new AttachRefused("its attach socket cannot be used: " + e);
        }
    }

    private void openListener(Path socket) throws IOException, AttachRefused {
        Path trigger = process.temporaryFolder().resolve(".attach_pid" + process.innerPid());
        try {
            Files.createFile(trigger);
        } catch (FileAlreadyExistsException leftOver) {
            // An existing file has the same meaning for the JVM.
        }
        try {
            if (!Signals.send(process.pid(), Signals.QUIT)) {
                throw new AttachRefused("it cannot be signalled");
            }
            long endNs = System.nanoTime() + LISTEN_TIMEOUT_NS;
            while (!Files.exists(socket)) {
                if (System.nanoTime() > endNs || !process.isAlive()) {
                    throw new AttachRefused("it does not answer");
                }
                Thread.sleep(POLL_MS);
            }
        } catch (InterruptedException asked) {
            Thread.currentThread().interrupt();
            throw new AttachRefused("interrupted");
        } finally {
            Files.deleteIfExists(trigger);
        }
    }

    private static String ask(Path socket, String command) throws IOException, AttachRefused {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> talk(channel, socket, command));
            String text = answer.get(ANSWER_TIMEOUT_S, TimeUnit.SECONDS);
            int line = text.indexOf('\n');
            String code = line < 0 ? text : text.substring(0, line);
            String said = line < 0 ? "" : text.substring(line + 1);
            if (!code.strip().equals("0")) {
                throw new AttachRefused("it answered: " + said.strip(), said.contains(UNKNOWN_COMMAND));
            }
            return said;
        } catch (TimeoutException | ExecutionException e) {
            throw new AttachRefused("it does not answer: " + e);
        } catch (InterruptedException asked) {
            Thread.currentThread().interrupt();
            throw new AttachRefused("interrupted");
        }
    }

    private static String talk(SocketChannel channel, Path socket, String command) {
        try {
            channel.connect(UnixDomainSocketAddress.of(socket));
            String request = String.join("\0", "1", "jcmd", command, "", "") + "\0";
            ByteBuffer out = ByteBuffer.wrap(request.getBytes(StandardCharsets.UTF_8));
            while (out.hasRemaining()) {
                channel.write(out);
            }
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            ByteBuffer in = ByteBuffer.allocate(8192);
            while (channel.read(in) >= 0) {
                if (all.size() > MAX_ANSWER_BYTES) {
                    throw new IOException("its answer does not end");
                }
                all.write(in.array(), 0, in.position());
                in.clear();
            }
            return all.toString(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
