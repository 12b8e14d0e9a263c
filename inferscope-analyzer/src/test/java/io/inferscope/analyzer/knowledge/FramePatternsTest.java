package io.inferscope.analyzer.knowledge;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Frame;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the name of a sampled function says about its work, and what it does not. */
class FramePatternsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/srv/app/calc.py(3): load",
                "/srv/app/calc.py(3): Gauge.load",
                "/srv/app/loading.py(3): add",
                "/srv/tokenizer-service/app.py(3): add",
                "/srv/load/app.py(3): add",
                "/srv/app/calc.py(3): load_model",
                "/srv/app/calc.py(3): tokenize_all",
                "server.py(3): Engine.tokenize",
                "tokenize(std::string const&)",
                "Server::tokenize(std::string const&) [engine]",
                "Engine.java(3): com.acme.Engine.tokenize",
                "nn.Module: TokenizerHead_0"
            })
    void aNameOfTheProgramMakesNoClass(String frame) {
        assertThat(FramePatterns.domain(new FrameRoles(Frame.of(frame)))).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "/usr/lib/python3.11/json/encoder.py(3): iterencode, CPU_SERIALIZATION",
        "/x/site-packages/torch/serialization.py(900): save, CPU_SERIALIZATION",
        "/x/site-packages/torch/serialization.py(1601): load, FRAMEWORK_COMPILE_LOAD",
        "/x/site-packages/torch/serialization.py(2128): _load.<locals>.load_tensor, FRAMEWORK_COMPILE_LOAD",
        "/x/site-packages/torch/_weights_only_unpickler.py(541): Unpickler.load, FRAMEWORK_COMPILE_LOAD",
        "transformers/tokenization_utils_base.py(3): encode, CPU_TOKENIZATION",
        "tiktoken/core.py(3): Encoding.encode, CPU_TOKENIZATION",
        "<built-in function json_dumps>, CPU_SERIALIZATION",
        "Tokenizer.java(3): ai.djl.huggingface.tokenizers.HuggingFaceTokenizer.encode, CPU_TOKENIZATION",
        "/usr/lib/python3.11/site-packages/transformers/modeling_utils.py(3): from_pretrained, FRAMEWORK_COMPILE_LOAD",
        "/x/site-packages/vllm/engine.py(3): load, FRAMEWORK_COMPILE_LOAD",
        "/x/site-packages/spacy/util.py(3): load_model, FRAMEWORK_COMPILE_LOAD",
        "/x/site-packages/sqlalchemy/orm/loading.py(702): _load_on_pk_identity, ", // Rows of a database.
        "/x/site-packages/yaml/__init__.py(81): load, "
    })
    void aNameThatALibraryGaveDoes(String frame, LedgerClass expected) {
        assertThat(FramePatterns.domain(new FrameRoles(Frame.of(frame)))).isEqualTo(expected);
    }

    /** CPython names a function without its class up to 3.10, and with it from 3.11 on. */
    @ParameterizedTest
    @CsvSource({
        "threading.py(327): Condition.wait, WAIT_UNKNOWN",
        "threading.py(327): wait, WAIT_UNKNOWN",
        "queue.py(171): Queue.get, WAIT_UNKNOWN",
        "multiprocessing/connection.py(395): Connection._recv, WAIT_UNKNOWN",
        "concurrent/futures/_base.py(451): Future.result, WAIT_UNKNOWN",
        "selectors.py(468): EpollSelector.select, WAIT_SOCKET",
        "socket.py(706): SocketIO.readinto, WAIT_SOCKET",
        "subprocess.py(2015): Popen._try_wait, WAIT_CHILD_PROCESS",
        "app.py(3): Queue.get, "
    })
    void aWaitOfTheStandardLibraryIsKnownWithAndWithoutItsClass(String frame, @Nullable LedgerClass expected) {
        assertThat(FramePatterns.waiting(new FrameRoles(Frame.of(frame)))).isEqualTo(expected);
    }

    @Test
    void theLanguageThatARecorderKnewDecides() {
        Frame noLine = Frame.of(Frame.Language.PYTHON, "Queue.get", "/usr/lib/python3.12/queue.py", 0);
        Frame program = Frame.of(Frame.Language.PYTHON, "<module>", "/srv/serve", 7);

        assertThat(FramePatterns.waiting(new FrameRoles(noLine))).isEqualTo(LedgerClass.WAIT_UNKNOWN);
        assertThat(FramePatterns.isStandardLibrary(new FrameRoles(noLine))).isTrue();
        assertThat(FramePatterns.isNative(noLine)).isFalse();
        assertThat(program.isPython()).isTrue();
        assertThat(Frame.of(program.text()).isPython()).isFalse();
    }

    /** As torch.profiler writes them with stacks, on CPython 3.11 and 3.13, and as JAX does. */
    @ParameterizedTest
    @CsvSource({
        "<built-in function sleep>, step.py(3): step, WAIT_TIMER",
        "<built-in> time sleep, step.py(3): step, WAIT_TIMER",
        "<built-in function waitpid>, subprocess.py(2001): _try_wait, WAIT_CHILD_PROCESS",
        "<built-in method recv of socket object at 0x7f>, step.py(3): step, WAIT_SOCKET",
        "<built-in method recv_into of _socket.socket object at 0x7f>, socket.py(706): readinto, WAIT_SOCKET",
        "<built-in method read of _ssl._SSLSocket object at 0x7f>, ssl.py(1103): read, WAIT_SOCKET",
        "<built-in method poll of select.epoll object at 0x7f>, selectors.py(451): select, WAIT_UNKNOWN",
        "<built-in method get of _queue.SimpleQueue object at 0x7f>, step.py(3): step, WAIT_UNKNOWN",
        "<built-in method join of _thread._ThreadHandle object at 0x7f>, threading.py(1087): join, WAIT_UNKNOWN",
        "<built-in method acquire of _thread.lock object at 0x7f>, threading.py(295): wait, WAIT_UNKNOWN",
        "<built-in method acquire of _thread.lock object at 0x7f>, /usr/lib/python3.11/threading.py(1125): _wait_for_tstate_lock, WAIT_UNKNOWN",
        "<built-in method acquire of _thread.lock object at 0x7f>, step.py(3): step, WAIT_LOCK",
        "<built-in method acquire of _thread.lock object at 0x7f>, , WAIT_LOCK",
        "<built-in method __enter__ of _thread.RLock object at 0x7f>, step.py(3): step, WAIT_LOCK",
        "<built-in> <unknown> acquire, threading.py(295): wait, WAIT_UNKNOWN",
        "<built-in method read of _io.BufferedReader object at 0x7f>, step.py(3): step, ",
        "<built-in function compress>, step.py(3): step, ",
        "<built-in method poll of Robot object at 0x7f>, step.py(3): step, ",
        "sleep, step.py(3): step, "
    })
    void aMeasuredCallOfABuiltInThatWaitsIsAWait(
            String builtIn, @Nullable String caller, @Nullable LedgerClass expected) {
        assertThat(FramePatterns.builtInWait(Frame.of(builtIn), caller == null ? null : Frame.of(caller)))
                .isEqualTo(expected);
    }

    /** Otherwise the time of what the program called would count as the recorder's. */
    @Test
    void eachFileOfTheProbeThatCallsWhatItWrapsIsTransparent() throws IOException {
        Path probe = Path.of("../python/inferscope").toRealPath();
        Pattern call = Pattern.compile("(?m)^ +.*(?<!def )\\b(original|function|call)\\(\\*?(self|args)");
        List<String> frames = new ArrayList<>();
        try (Stream<Path> files = Files.walk(probe)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".py")).toList()) {
                String name = probe.relativize(file).toString();
                if (!name.startsWith("trace/")
                        && call.matcher(Files.readString(file)).find()) {
                    frames.add("/x/inferscope/" + name + "(3): wrap.<locals>.wrapper");
                }
            }
        }

        assertThat(frames)
                .hasSizeGreaterThan(10)
                .map(Frame::of)
                .allMatch(FrameRole.RECORDER::of)
                .allMatch(FrameRole.WRAPPER::of);
        assertThat(FrameRole.WRAPPER.of(Frame.of("/x/inferscope/_recorder.py(3): Recorder.hand_over")))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "/x/lib/python3.11/site-packages/torch/__init__.py(18): <module>, torch",
        "/x/lib/python3.11/site-packages/torch/nn/functional.py(3): <module>, torch.nn.functional",
        "/usr/lib/python3.11/inspect.py(137): <module>, inspect",
        "<frozen os>(40): <module>, os",
        "/srv/app/calc.py(3): <module>, calc",
        "calc.py(3): <module>, calc",
        "/x/lib/python3.11/site-packages/torch/__init__.py(395): _load_global_deps, ''",
        "<module> [libx.so], ''"
    })
    void theModuleOfItsOwnCodeIsItsName(String frame, String module) {
        assertThat(FramePatterns.module(Frame.of(frame))).isEqualTo(module);
    }
}
