package io.inferscope.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Frame.Language;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FrameTest {
    @ParameterizedTest
    @CsvSource({
        "/srv/app.py(31): Engine.step, PYTHON, Engine.step, /srv/app.py, 31, ''",
        "<string>(1): launcher, PYTHON, launcher, <string>, 1, ''",
        "step [app.py], PYTHON, step, app.py, -1, ''",
        "/srv/score.cpp(42): score [serve], NATIVE, score, /srv/score.cpp, 42, serve",
        "[unknown] [kernel], NATIVE, [unknown], '', -1, kernel",
        "clock_gettime [[vdso]], NATIVE, clock_gettime, '', -1, [vdso]",
        "f [[a]b], OTHER, f [[a]b], '', -1, ''",
        "f [], OTHER, f [], '', -1, ''",
        "f [[]], OTHER, f [[]], '', -1, ''",
        "at::native::add, OTHER, at::native::add, '', -1, ''",
        "Serve.java(7): com.acme.Serve.step, OTHER, com.acme.Serve.step, Serve.java, 7, ''",
        "a(1): b(2): c, OTHER, c, a(1): b, 2, ''",
        "app.py(): f, OTHER, app.py(): f, '', -1, ''",
        "app.py(1234567890): f, OTHER, app.py(1234567890): f, '', -1, ''",
        "app.py(3): , OTHER, app.py(3): , '', -1, ''"
    })
    void aTextIsTakenApartOnceAndIsTheTextOfTheFrame(
            String text, Language language, String function, String file, int line, String library) {
        Frame frame = Frame.of(text);

        assertThat(frame).isEqualTo(new Frame(language, function, file, line, library));
        assertThat(frame.text()).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "PYTHON, step, /srv/app.py, 31, /srv/app.py(31): step",
        "PYTHON, <module>, /usr/bin/serve, 3, /usr/bin/serve(3): <module>",
        "PYTHON, step, /srv/app.py, 0, step [app.py]",
        "PYTHON, step, '', 0, step",
        "NATIVE, memcpy, /lib/libc.so.6, 0, memcpy [libc.so.6]",
        "NATIVE, exc_page_fault, kernel, 0, exc_page_fault [kernel]",
        "NATIVE, score [serve], /srv/score.cpp, 42, /srv/score.cpp(42): score [serve]"
    })
    void whatARecorderKnowsSurvivesItsText(Language language, String function, String file, int line, String text) {
        Frame frame = Frame.of(language, function, file, line);

        assertThat(frame.text()).isEqualTo(text);
        assertThat(frame.language()).isEqualTo(language);
        assertThat(Frame.of(text, language.label()).function()).isEqualTo(frame.function());
        assertThat(Frame.of(text, language.label()).library()).isEqualTo(frame.library());
        assertThat(Frame.of(text, language.label()).line()).isEqualTo(frame.line());
    }

    /** A function of the program may have the name that a recorder gives a frame. */
    @ParameterizedTest
    @CsvSource({
        "called torch.tensor [_C.so], CALLED",
        "called [_queue.so], CALLED",
        "calledoc [_queue.so], CODE",
        "/srv/app.py(31): called, CODE",
        "lock [python], TAKES_LOCK",
        "lock [libmine.so], CODE",
        "exc_page_fault [kernel], KERNEL",
        "f [jit], GENERATED",
        "app.js(3): f [jit], GENERATED"
    })
    void theRecordersFunctionAndLibraryTellTheRole(String text, Frame.Role role) {
        assertThat(Frame.of(text).role()).isEqualTo(role);
    }

    @Test
    void aCallAsPySpyAndVizTracerWriteItIsAFrameOfItsLine() {
        assertThat(Frame.textOfCall("work (/srv/app.py:12)")).isEqualTo("/srv/app.py(12): work");
        assertThat(Frame.textOfCall("work (app.py)")).isEmpty();
        assertThat(Frame.textOfCall("a::b (x:)")).isEmpty();
        assertThat(Frame.textOfCall(" (a.py:1)")).isEmpty();
        assertThat(Frame.textOfCall("")).isEmpty();
    }
}
