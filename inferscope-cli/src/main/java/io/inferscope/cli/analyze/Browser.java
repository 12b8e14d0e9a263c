package io.inferscope.cli.analyze;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.cli.common.Log;
import io.inferscope.collectors.os.UserEnvironment;
import io.inferscope.formats.common.TemporaryFolder;
import io.inferscope.report.html.ServedPage;
import io.inferscope.timeline.files.Programs;
import io.inferscope.timeline.files.WholeFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/**
 * Shows pages in the user's browser.
 *
 * @param opens whether to open a browser; the address is printed in any case
 */
record Browser(PrintWriter out, PrintWriter err, boolean opens) {
    /**
     * Serves the page of a recording on the loopback interface until the user ends it.
     *
     * @param port 0 for any that is free
     */
    void serve(AnalyzedReport explained, String title, int port) throws IOException {
        try (LoopbackServer server = new LoopbackServer(port, new RecordingPages(new ServedPage(explained)))) {
            show(server.address(), true);
            Log.tell(err, "serving " + title + " to this machine alone; Ctrl-C ends it");
            new CountDownLatch(1).await();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    /** Prints an address and, if there is a browser, opens it. */
    void show(String address, boolean secret) throws IOException {
        out.println(address);
        out.flush();
        boolean desktop = System.getenv("DISPLAY") != null || System.getenv("WAYLAND_DISPLAY") != null;
        if (!opens || !desktop) {
            return;
        }
        Optional<Path> opener = Programs.find("xdg-open");
        if (opener.isEmpty()) {
            Log.tell(err, "no browser opened (xdg-open is missing): open the address above");
            return;
        }
        ProcessBuilder browser = new ProcessBuilder(opener.get().toString(), secret ? leadingTo(address) : address)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        UserEnvironment.restore(browser.environment());
        browser.start();
    }

    /**
     * Returns the address of a file that only this user can read, and that leads to a secret address: every user sees
     * the arguments of a process, such as of a browser.
     */
    private static String leadingTo(String address) throws IOException {
        Path folder = TemporaryFolder.make("inferscope-open");
        Path file = folder.resolve("open.html");
        folder.toFile().deleteOnExit(); // The last one named is deleted first.
        file.toFile().deleteOnExit();
        Files.createFile(file, WholeFile.PRIVATE_FILE);
        Files.writeString(
                file,
                "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=" + address.replace("&", "&amp;")
                        + "\">\n");
        return file.toUri().toString();
    }
}
