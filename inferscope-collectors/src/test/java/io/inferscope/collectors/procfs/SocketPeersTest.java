package io.inferscope.collectors.procfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.collectors.fixture.NamingProgram;
import io.inferscope.collectors.os.LinuxSystem;
import io.inferscope.collectors.os.OperatingSystem;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Connections between two real processes. The parent prints its descriptors; the child has the other ends. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class SocketPeersTest {
    private static final String CONNECTED = """
            import ctypes, os, socket, sys
            def listening(family, address):
                server = socket.socket(family)
                server.bind((address, 0))
                server.listen()
                return server
            def pair(server, address): # The parent connects.
                client = socket.create_connection((address, server.getsockname()[1]))
                return client, server.accept()[0]
            four = listening(socket.AF_INET, '127.0.0.1')
            pairs = dict(tcp=pair(four, '127.0.0.1'), shared=pair(four, '127.0.0.1'), unix=socket.socketpair(), shared_unix=socket.socketpair())
            try: pairs['mapped'] = pair(listening(socket.AF_INET6, '::'), '127.0.0.1')
            except OSError: pass # No IPv6, or not together with IPv4.
            child = os.fork()
            if child == 0:
                for client, _ in pairs.values(): client.close()
                sys.stdin.read()
                os._exit(0)
            for name, (client, accepted) in pairs.items():
                if not name.startswith('shared'): accepted.close()
                print(name, client.fileno())
            print('listening', four.fileno())
            own = socket.socketpair()
            print('own', own[0].fileno())
            own_tcp = pair(four, '127.0.0.1')
            print('own_tcp', own_tcp[0].fileno())
            print('event', ctypes.CDLL(None).eventfd(0, 0))
            print('file', sys.stdin.fileno())
            print('child', child)
            print('ready 0', flush=True)
            sys.stdin.read()
            """;

    private static final Map<String, Integer> ids = new HashMap<>();
    private static Process program;

    @BeforeAll
    static void start() throws Exception {
        program = NamingProgram.start(CONNECTED, ids);
    }

    @AfterAll
    static void end() {
        NamingProgram.end(program);
    }

    @ParameterizedTest
    @CsvSource({
        "tcp, true",
        "mapped, true",
        "shared, true",
        "unix, true",
        "shared_unix, true",
        "listening, false",
        "own, false",
        "file, false"
    })
    void aSocketNamesTheOnlyOtherProcessThatHoldsTheOtherEnd(String name, boolean found) {
        assumeTrue(ids.containsKey(name), "no such address here");
        assumeTrue(
                !name.contains("unix") || !system().unixPeers().isEmpty(),
                "the kernel does not list Unix sockets here");
        assertThat(peer(new SocketPeers(system(), files()), name))
                .isEqualTo(found ? ids.get("child") : SocketPeers.NOBODY);
    }

    @ParameterizedTest
    @CsvSource({
        "tcp own file, true",
        "tcp mapped, true",
        "tcp shared own, true",
        "own file, false",
        "tcp listening, false"
    })
    void ofSeveralSocketsThoseToOtherProcessesTell(String names, boolean found) {
        assumeTrue(ids.containsKey("mapped"), "no such address here");
        assumeTrue(!system().unixPeers().isEmpty(), "the kernel does not list Unix sockets here");
        List<Integer> descriptors =
                Arrays.stream(names.split(" ", -1)).map(ids::get).toList();
        int pid = (int) program.pid();
        assertThat(new SocketPeers(system(), files()).peerOfAll(pid, descriptors, List.of(pid, ids.get("child"))))
                .isEqualTo(found ? ids.get("child") : SocketPeers.NOBODY);
    }

    /** The wake-up of an event loop, rather than a connection within the process, or to a child. */
    @ParameterizedTest
    @CsvSource({
        "own, true",
        "own event, true",
        "own_tcp, false",
        "own own_tcp, false",
        "own file, false",
        "own unix, false",
        "own listening, false"
    })
    void onlyPairsAndEventsOfItsOwnAreWrittenByTheProcessItself(String names, boolean expected) {
        assumeTrue(!system().unixPeers().isEmpty(), "the kernel does not list Unix sockets here");
        List<Integer> descriptors =
                Arrays.stream(names.split(" ", -1)).map(ids::get).toList();
        int pid = (int) program.pid();
        assertThat(new SocketPeers(system(), files())
                        .areWrittenByItself(pid, descriptors, List.of(pid, ids.get("child"))))
                .isEqualTo(expected);
    }

    @Test
    void oneSearchServesTheOtherSocketsOfThatMoment() {
        List<String> read = new ArrayList<>();
        OperatingSystem counting = (OperatingSystem) Proxy.newProxyInstance(
                OperatingSystem.class.getClassLoader(),
                new Class<?>[] {OperatingSystem.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("open")) {
                        read.add((String) arguments[0]);
                    }
                    return method.invoke(system(), arguments);
                });
        SocketPeers peers = new SocketPeers(counting, new ProcFiles(counting));
        assertThat(peer(peers, "listening")).isEqualTo(SocketPeers.NOBODY);
        int once = read.size();
        assertThat(once).as("both lists").isEqualTo(2);
        assertThat(peer(peers, "tcp")).isEqualTo(ids.get("child"));
        assertThat(peer(peers, "listening")).isEqualTo(SocketPeers.NOBODY);
        assertThat(read).hasSize(once);
    }

    private static int peer(SocketPeers peers, String name) {
        int pid = (int) program.pid();
        return peers.peer(pid, ids.get(name), List.of(pid, ids.get("child")));
    }

    private static LinuxSystem system() {
        return new LinuxSystem();
    }

    private static ProcFiles files() {
        return new ProcFiles(system());
    }
}
