package io.inferscope.report;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A headless Chromium, where there is one. */
record Chromium(Path binary, Path folder) {
    private static final long LIMIT_SECONDS = 240;

    /** Finds Chromium on the PATH, or skips the test; fails it where INFERSCOPE_REQUIRE_CHROMIUM is 1. */
    static Chromium find(Path folder) {
        return Stream.of("chromium", "chromium-browser", "google-chrome", "headless_shell")
                .flatMap(name -> Stream.of(System.getenv("PATH").split(":", -1)).map(entry -> Path.of(entry, name)))
                .filter(Files::isExecutable)
                .findFirst()
                .map(binary -> new Chromium(binary, folder))
                .orElseGet(Chromium::absent);
    }

    private static Chromium absent() {
        String reason = "no Chromium on the PATH: the HTML report is not looked at in a browser";
        if ("1".equals(System.getenv("INFERSCOPE_REQUIRE_CHROMIUM"))) {
            throw new AssertionError(reason);
        }
        System.out.println("SKIPPED: " + reason);
        return abort(reason);
    }

    /** Returns the page's elements after it has loaded, as HTML. */
    String dom(Path page) throws IOException, InterruptedException {
        return run("--dump-dom", page.toUri().toString());
    }

    /** Returns what Chromium wrote to its log while it loaded the page: script errors, refused requests, policy violations. */
    String console(Path page) throws IOException, InterruptedException {
        run("--enable-logging=stderr", "--v=0", "--dump-dom", page.toUri().toString());
        return Files.readString(folder.resolve("stderr"))
                .lines()
                .filter(line -> line.contains("CONSOLE"))
                .reduce("", (a, b) -> a + b + "\n");
    }

    private String run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                binary.toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--user-data-dir=" + folder.resolve("profile")));
        command.addAll(List.of(arguments));
        Path out = folder.resolve("stdout");
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(folder.resolve("stderr").toFile())
                .start();
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("Chromium did not end within " + LIMIT_SECONDS + " s");
        }
        return Files.readString(out, StandardCharsets.UTF_8);
    }
}
