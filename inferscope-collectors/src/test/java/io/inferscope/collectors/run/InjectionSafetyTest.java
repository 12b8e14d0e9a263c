package io.inferscope.collectors.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.collectors.host.HostOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@EnabledOnOs(OS.LINUX)
class InjectionSafetyTest {
    @TempDir
    Path home;

    private Path agent;

    @BeforeEach
    void install() throws Exception {
        String architecture = System.getProperty("os.arch").equals("aarch64") ? "aarch64" : "x86-64";
        agent = home.resolve("native/linux-" + architecture + "/libinferscope-agent.so");
        for (String name : List.of("python/bootstrap/sitecustomize.py", "python/inferscope/_probe.py")) {
            make(home.resolve(name));
        }
        make(agent);
    }

    private void make(Path file) throws Exception {
        Files.createDirectories(file.getParent());
        Files.createFile(file);
        for (Path at = file; at.startsWith(home); at = at.getParent()) {
            permit(at, "rwxr-xr-x");
        }
    }

    private static void permit(Path path, String permissions) throws Exception {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    private String prepared(String variable) {
        return prepared(variable, GpuRecording.ALL, List.of());
    }

    private String prepared(String variable, GpuRecording gpu, List<String> given) {
        CaptureOptions options = new CaptureOptions(
                home.resolve("spools"), home, true, gpu, 1 << 20, HostOptions.DEFAULT, JfrMode.OFF, "", null);
        ChildEnvironment environment = new ChildEnvironment(
                given.stream().map(one -> one.getBytes(StandardCharsets.UTF_8)).toList());
        new ProbeInjection(options).prepare(environment, options);
        new CudaInjection(options).prepare(environment);
        return environment.text(variable, StandardCharsets.UTF_8);
    }

    @Test
    void whatOnlyWeCanWriteIsBroughtIn() {
        assertThat(prepared("CUDA_INJECTION64_PATH")).isEqualTo(agent.toString());
        assertThat(prepared("PYTHONPATH")).startsWith(home.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "python", "python/bootstrap", "python/inferscope/_probe.py"})
    void aProbeThatOthersCanWriteIsNotBroughtIn(String open) throws Exception {
        permit(home.resolve(open), "rwxrwxrwx");
        assertThat(prepared("PYTHONPATH")).isEmpty();
        assertThat(InjectionSafety.problem(home.resolve("python/inferscope/_probe.py"), home)
                        + InjectionSafety.problem(home.resolve("python/bootstrap/sitecustomize.py"), home))
                .contains(
                        "can be written to by other users",
                        "chmod go-w " + home.resolve(open).normalize());
    }

    @Test
    void anAgentThatOthersCanWriteIsNotBroughtIn() throws Exception {
        permit(agent, "rwxr-xrwx");
        assertThat(prepared("CUDA_INJECTION64_PATH")).isEmpty();
        assertThat(prepared("PYTHONPATH")).isNotEmpty();
    }

    @Test
    void hooksArePreloadedBehindTheUsersIfTheyAreAskedForAndOnlyWeCanWriteThem() throws Exception {
        Path hooks = agent.resolveSibling("libinferscope-launches.so");
        make(hooks);
        GpuRecording launches = new GpuRecording(
                true, 0, 0, 0, false, GpuRecording.Graphs.NODES, GpuRecording.Detail.LAUNCHES, true, false, 0);
        GpuRecording without = new GpuRecording(
                true, 0, 0, 0, false, GpuRecording.Graphs.NODES, GpuRecording.Detail.LAUNCHES, false, false, 0);
        List<String> given = List.of("LD_PRELOAD=/opt/own.so");

        assertThat(prepared("LD_PRELOAD", launches, given)).isEqualTo("/opt/own.so:" + hooks);
        assertThat(prepared("INFERSCOPE_GPU_DETAIL", launches, given)).isEqualTo("launches");
        assertThat(prepared("LD_PRELOAD", GpuRecording.ALL, given)).isEqualTo("/opt/own.so");
        assertThat(prepared("LD_PRELOAD", without, List.of())).isEmpty();
        permit(hooks, "rwxr-xrwx");
        assertThat(prepared("LD_PRELOAD", launches, given)).isEqualTo("/opt/own.so");
    }

    @Test
    void aProgramWithTheRightsOfAnotherUserIsToldFromOthers() throws Exception {
        Path program = Files.createFile(home.resolve("program"));
        Files.setAttribute(program, "unix:mode", 0104755);
        assertThat(InjectionSafety.hasOtherRights(program))
                .as("setuid to ourselves")
                .isFalse();
        assumeTrue("root".equals(System.getProperty("user.name")), "only root gives files away");
        Files.setAttribute(program, "unix:uid", 65534);
        Files.setAttribute(program, "unix:mode", 0104755);
        assertThat(InjectionSafety.hasOtherRights(program)).as("setuid").isTrue();
        Files.setAttribute(program, "unix:mode", 0100755);
        assertThat(InjectionSafety.hasOtherRights(program))
                .as("owned by another user")
                .isFalse();
        Files.setAttribute(program, "unix:gid", 65534);
        Files.setAttribute(program, "unix:mode", 0102755);
        assertThat(InjectionSafety.hasOtherRights(program)).as("setgid").isTrue();
    }

    @Test
    @Tag("process")
    void aProgramWithFileCapabilitiesIsToldFromOthers() throws Exception {
        Path setcap = Path.of("/usr/sbin/setcap");
        assumeTrue(Files.isExecutable(setcap), "needs setcap");
        Path program = Files.createFile(home.resolve("program"));
        assertThat(InjectionSafety.hasOtherRights(program)).isFalse();
        Process set = new ProcessBuilder(setcap.toString(), "cap_net_raw+p", program.toString()).start();
        assumeTrue(set.waitFor() == 0, "this user or file system cannot have capabilities");
        assertThat(InjectionSafety.hasOtherRights(program)).isTrue();
    }
}
