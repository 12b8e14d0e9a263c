package io.inferscope.timeline.redact;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PrivateTextTest {
    private static final PrivateText TEXT = PrivateText.learning(List.of("/home/asmith/serve.py(3): main"));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "/home/asmith/proj/src/serve.py(31): generate | src/serve.py(31): generate",
                "/home/asmith | <redacted>",
                "/home/asmith/serve.py(3) | serve.py(3)",
                "/mnt/nfs/home/asmith/a/b/c.py(1): f | b/c.py(1): f",
                "/Users/Jane.Doe/x.py | x.py",
                "/root/a/b/c.py(7): g | b/c.py(7): g",
                "/tmp/pip-build-x/mod.py(1): f | pip-build-x/mod.py(1): f",
                "/opt/conda/lib/python3.11/site-packages/torch/nn/modules/module.py(1553): _call_impl | site-packages/torch/nn/modules/module.py(1553): _call_impl",
                "/usr/lib/python3.11/threading.py(1002): _bootstrap | python3.11/threading.py(1002): _bootstrap",
                "C:\\Users\\Jane Doe\\p\\q.py | p/q.py",
                "C:\\Users\\jane\\p\\q.py | p/q.py",
                "file:///home/asmith/m/w.bin | m/w.bin",
                "open /home/asmith/m/w.bin and /tmp/x/y/z | open m/w.bin and y/z",
                "home/asmith/deep/er/x.py(1): f | er/x.py(1): f",
                "scope of asmith | scope of <redacted>",
                "asmith_run | <redacted>_run",
                "HF_TOKEN=hf_abcdefghijklmnopqrstuvwx | HF_TOKEN=<redacted>",
                "load hf_abcdefghijklmnopqrstuvwx now | load <redacted> now",
                "sk-proj-0123456789abcdefghij | <redacted>",
                "ghp_0123456789abcdefABCDEF0123456789abcd | <redacted>",
                "AKIAIOSFODNN7EXAMPLE | <redacted>",
                "Authorization: Bearer abc.def-123456 | Authorization: <redacted> <redacted>",
                "{\"password\": \"hunter2\"} | {\"password\": <redacted>}",
                "password=123456 | password=<redacted>",
                "--api-key s3cr3tvalue --n 3 | --api-key <redacted> --n 3",
                "--token=abc123def | --token=<redacted>",
                "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG | AWS_SECRET_ACCESS_KEY=<redacted>",
                "PATH=/usr/bin:/bin HOME=/home/asmith | PATH=<redacted> HOME=<redacted>",
                "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc_DEF | <redacted>",
                "https://bob:pw@registry.example.com/v2/x | https://<redacted>",
                "postgres://u:p@db:5432/x | postgres://<redacted>",
                "mail jane.doe@example.com please | mail <redacted> please",
                "asmith@node17 | <redacted>",
                "gpu-17.cluster.local | <redacted>",
                "worker on login.example.org:22 | worker on <redacted>:22",
                "10.1.2.3:8000 | <redacted>:8000",
                "{\"accessToken\":\"abc/def\",\"n\":1} | {\"accessToken\":<redacted>,\"n\":1}",
                "clientSecret: abc.def | clientSecret: <redacted>",
                "{\\\"api_key\\\":\\\"abc def\\\"} | {\\\"api_key\\\":<redacted>}",
                "Cookie: theme=dark; session=abcdef | Cookie: <redacted>",
                "GET /x?token%3Dabc%26n%3D1 | GET x?token%3D<redacted>",
                "callback?token%3Dabcdef&n=1 | callback?token%3D<redacted>&n=1",
                "-----BEGIN RSA PRIVATE KEY----- MIIE | <redacted>"
            })
    void privateIsTakenOut(String text, String expected) {
        assertThat(TEXT.redacted(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "aten::addmm",
                "[[8,128],[128,64]]",
                "cudaLaunchKernel",
                "Memcpy HtoD (Pageable -> Device)",
                "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, 1ul> >(int)",
                "torch/nn/modules/module.py(1553): _call_impl",
                "threading.py(1002): _bootstrap",
                "<built-in method local of _thread._local object at 0x7f>",
                "nn.Module: BertModel_0",
                "{\"tokens\":128,\"max_token\":5}",
                "tokenize: 3 tokens",
                "token_embedding",
                "maxTokens: 512",
                "memcpy@GLIBC_2.14",
                "nccl:all_reduce",
                "foo@plt",
                "a/b",
                "ProfilerStep#3",
                "import skimage.io",
                "triton_per_fused_add_0 BLOCK=128",
                "operator/(float, float)",
                "async.com.py"
            })
    void namesOfCodeStay(String text) {
        assertThat(TEXT.redacted(text)).isEqualTo(text);
    }

    @Test
    void whatWasTakenOutIsNotTakenOutTwice() {
        String once = TEXT.redacted("HF_TOKEN=abc /home/asmith/a/b.py jane@example.com 10.1.2.3");
        assertThat(TEXT.redacted(once)).isEqualTo(once);
    }

    @Test
    void hugeTextsEndSoon() {
        assertThat(TEXT.redacted("/a".repeat(1_000_000))).isEqualTo("<redacted>");
        assertThat(TEXT.redacted("/a".repeat(8_000))).isIn("a/a", "<redacted>");
        assertThat(TEXT.redacted("a.".repeat(8_000))).isNotNull();
        assertThat(TEXT.redacted("a-".repeat(8_000))).isNotNull();
        assertThat(TEXT.redacted("A=".repeat(8_000))).isNotNull();
    }
}
