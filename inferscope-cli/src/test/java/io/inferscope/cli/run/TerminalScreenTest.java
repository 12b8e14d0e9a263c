package io.inferscope.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.os.Terminal.Size;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TerminalScreenTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private Size size = new Size(24, 40);

    @Test
    void aViewBelowAProgramKeepsTheLastLinesAndGivesThemBack() throws IOException {
        LiveScreen screen = screen(false);
        assertThat(screen.height()).isEqualTo(8);

        screen.show(List.of("first", "second"));
        assertThat(text()).contains("first", "second").contains("\u001b[1;22r");

        bytes.reset();
        screen.close();
        assertThat(text()).as("the whole terminal scrolls again").contains("\u001b[1;24r");
    }

    @Test
    void aFullViewLeavesTheTerminalAsItWas() throws IOException {
        LiveScreen screen = screen(true);
        screen.show(List.of("first", "second"));
        screen.close();

        assertThat(text()).contains("first").contains("second");
        assertThat(text().lastIndexOf("\u001b[?1049l"))
                .as("back on the first screen")
                .isEqualTo(text().indexOf("\u001b[?1049l"))
                .isGreaterThan(text().indexOf("second"));
    }

    @Test
    void linesFollowTheTerminalsWidth() throws IOException {
        LiveScreen screen = screen(true);
        assertThat(screen.options().width()).isEqualTo(60);
        size = new Size(50, 200);
        assertThat(screen.options().width()).isEqualTo(199);
        assertThat(screen.height()).isEqualTo(50);
        size = new Size(24, 20);
        screen.options();
        bytes.reset();
        screen.show(List.of("x".repeat(80)));
        assertThat(text().chars().filter(c -> c == 'x').count()).isEqualTo(19);
        screen.close();
    }

    /** JLine scrolls then, and edits the lines that it was given before. */
    @Test
    void linesThatMoveUpAreDrawn() throws IOException {
        LiveScreen screen = screen(true);
        screen.show(numbered(0));
        bytes.reset();
        screen.show(numbered(1));
        screen.show(numbered(2));
        assertThat(text()).contains("line 24", "line 25").doesNotContain("line 20");
        screen.close();
    }

    private static List<String> numbered(int first) {
        return IntStream.range(first, first + 24).mapToObj(i -> "line " + i).toList();
    }

    @Test
    void aSmallTerminalKeepsRoomForTheProgram() throws IOException {
        size = new Size(10, 40);
        LiveScreen screen = screen(false);
        assertThat(screen.height()).isEqualTo(6);
        screen.show(List.of("one", "two", "three", "four", "five", "six", "seven", "eight"));
        assertThat(text()).contains("six").doesNotContain("seven");
        size = new Size(3, 40);
        screen.options();
        assertThat(screen.height()).isZero();
        screen.show(List.of("one"));
        screen.close();
    }

    @Test
    void qEndsAFullViewAndItsTerminalIsGivenBack() throws Exception {
        CountDownLatch quit = new CountDownLatch(1);
        CountDownLatch givenBack = new CountDownLatch(1);
        ByteArrayInputStream keys = new ByteArrayInputStream("xq".getBytes(StandardCharsets.UTF_8)) {
            @Override
            public void close() {
                givenBack.countDown();
            }
        };
        LiveScreen screen = new TerminalScreen(
                bytes, () -> size, true, "xterm-256color", Optional.of(new QuitKey(keys, quit::countDown)));

        assertThat(screen.hint()).isEqualTo("; q ends");
        assertThat(quit.await(3, TimeUnit.MINUTES)).isTrue();
        assertThat(givenBack.getCount()).isOne();
        screen.close();
        assertThat(givenBack.getCount()).isZero();
    }

    @Test
    void withoutKeysAFullViewNamesTheSignal() throws IOException {
        LiveScreen screen = screen(true);
        assertThat(screen.hint()).isEqualTo("; Ctrl-C ends");
        screen.close();
    }

    private LiveScreen screen(boolean full) throws IOException {
        return new TerminalScreen(bytes, () -> size, full, "xterm-256color", Optional.empty());
    }

    private String text() {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
