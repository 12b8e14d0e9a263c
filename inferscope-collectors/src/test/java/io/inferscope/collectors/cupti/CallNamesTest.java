package io.inferscope.collectors.cupti;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.cupti.CallNames.Call;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallNamesTest {
    private static Call named(String cupti, boolean runtime) {
        return new CallNames(id -> cupti, runtime).of(1);
    }

    @Test
    void theAgentAndTheRecorderInAJvmLeaveOutTheSameCalls() throws Exception {
        String agent = Files.readString(Path.of("../native/agent/calls.c"));
        String noisy = agent.substring(agent.indexOf("NOISY_CALLS[] = {"), agent.indexOf("NULL};"));
        List<String> calls = Pattern.compile("\"(\\w+)\"")
                .matcher(noisy)
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
        assertThat(CallNames.NOISY).containsExactlyInAnyOrderElementsOf(calls);
    }

    @ParameterizedTest
    @CsvSource({
        "true, cudaLaunchKernel_v7000, cudaLaunchKernel",
        "true, cudaLaunchKernel_ptsz_v7000, cudaLaunchKernel",
        "true, cudaMemcpy_ptds_v7000, cudaMemcpy",
        "false, cuMemcpyHtoDAsync_v2, cuMemcpyHtoDAsync_v2",
        "false, cuMemcpyHtoDAsync_v2_ptsz, cuMemcpyHtoDAsync_v2",
        "false, cuLaunchKernel, cuLaunchKernel"
    })
    void aNameHasNoSuffixesOfCuptis(boolean runtime, String cupti, String name) {
        assertThat(named(cupti, runtime)).isEqualTo(new Call(name, false));
    }

    @ParameterizedTest
    @CsvSource({
        "cudaStreamIsCapturing_ptsz_v10000, true",
        "cudaStreamGetCaptureInfo_v2_v11030, true",
        "cuPointerGetAttributes, true",
        "cudaGetDeviceProperties_v2_v12000, false"
    })
    void frequentCallsThatTellNothingAreLeftOut(String cupti, boolean left) {
        assertThat(named(cupti, true).isNoisy()).isEqualTo(left);
    }
}
