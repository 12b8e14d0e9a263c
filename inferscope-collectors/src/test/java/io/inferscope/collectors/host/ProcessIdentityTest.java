package io.inferscope.collectors.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProcessIdentityTest {
    @ParameterizedTest
    @CsvSource({
        "python3.11, python3 -u -X dev /srv/app/infer.py --token hf_secret, infer.py, ''",
        "python3, python3 -W ignore -m vllm.entrypoints.openai.api_server --api-key s3cret, vllm.entrypoints.openai.api_server, ''",
        "python3, python3 -m torch.distributed.run train.py, torch.distributed.run, ''",
        "python3, python3 -m ../../etc, python3, ''",
        "python3, python3, python3, ''",
        "python3, python3 -, python3, ''",
        "pypy3.10, pypy3 x.py, x.py, ''",
        "trtexec, trtexec --onnx=/home/me/secret.onnx, trtexec, ''",
        "java, java -jar app.jar, java, ''",
    })
    void nameIsThatOfScriptOrModuleAndNothingElse(String executable, String line, String program, String role) {
        assertThat(ProcessIdentity.of(executable, List.of(line.split(" ", -1))))
                .isEqualTo(new ProcessIdentity(program, role));
    }

    @ParameterizedTest
    @CsvSource({
        "'from multiprocessing.spawn import spawn_main; spawn_main(tracker_fd=5, pipe_handle=7)', spawn",
        "'from multiprocessing.resource_tracker import main;main(4)', resource_tracker",
        "'from multiprocessing.forkserver import main; main(11, 12)', forkserver",
        "'import secrets; print(1)', ''",
    })
    void helpersOfMultiprocessingHaveRoles(String code, String role) {
        List<String> words = List.of("/usr/bin/python3", "-s", "-c", code, "--multiprocessing-fork");
        assertThat(ProcessIdentity.of("python3.12", words)).isEqualTo(new ProcessIdentity("python3.12", role));
    }

    @ParameterizedTest
    @CsvSource({
        "VLLM::EngineCore_0, VLLM::EngineCore_0",
        "VLLM::Worker_TP1, VLLM::Worker_TP1",
        "sglang::scheduler_TP0, sglang::scheduler_TP0",
        "ray::Worker.step, ray::Worker.step",
        "ray::<private things>, python3.11",
        "gunicorn: worker [app --password x], gunicorn",
        "postgres password=abc, python3.11",
    })
    void titleThatAProcessGaveItselfIsKeptUpToItsFirstWord(String title, String program) {
        assertThat(ProcessIdentity.of("python3.11", List.of(title)).program()).isEqualTo(program);
    }

    @Test
    void onlyNumbersUnderRankNamesLeaveTheEnvironment() {
        String environment = String.join(
                "\0",
                "RANK=3",
                "LOCAL_RANK=1",
                "WORLD_SIZE=8",
                "VLLM_DP_RANK=2",
                "SGLANG_DP_RANK=0",
                "VLLM_API_KEY=123456",
                "HF_TOKEN=hf_x",
                "RANKING=5",
                "NODE_RANK=secret",
                "SGLANG_RANK_FILE=/home/me",
                "");
        assertThat(ProcessIdentity.ranks(environment).toString())
                .isEqualTo("{local_rank=1, rank=3, sglang_dp_rank=0, vllm_dp_rank=2, world_size=8}");
    }

    @Test
    void zombieHasNoCommandLine() {
        assertThat(ProcessIdentity.of("", ProcessIdentity.words("")).program()).isEmpty();
        assertThat(ProcessIdentity.words("a\0b\0\0")).containsExactly("a", "b");
    }
}
