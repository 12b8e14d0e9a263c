package io.inferscope.collectors.python;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SourceFolderTest {
    @ParameterizedTest
    @CsvSource(
            nullValues = "unknown",
            value = {
                "/srv/app, /srv/app/serve.py, serve.py",
                "/srv/app, /srv/app/rank/serve.py, rank/serve.py",
                "/srv/app, /srv/application/serve.py, /srv/application/serve.py",
                "/srv/app, serve.py, serve.py",
                "/srv/app, <string>, <string>",
                "/srv/app, /srv/app/.venv/lib/python3.11/site-packages/torch/nn/init.py, /srv/app/.venv/lib/python3.11/site-packages/torch/nn/init.py",
                "/usr, /usr/lib/python3.11/json/encoder.py, /usr/lib/python3.11/json/encoder.py",
                "/, /serve.py, /serve.py",
                "unknown, /srv/app/serve.py, /srv/app/serve.py"
            })
    void ownFilesAreNamedFromTheWorkingFolder(String cwd, String file, String shown) {
        assertThat(SourceFolder.of(cwd).shorten(file)).isEqualTo(shown);
    }
}
