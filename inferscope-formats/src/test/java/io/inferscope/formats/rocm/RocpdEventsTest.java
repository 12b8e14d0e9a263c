package io.inferscope.formats.rocm;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.formats.Formats;
import io.inferscope.formats.sqlite.SqliteFixture;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineDump;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Waits for HIP events, by the arguments of calls; tables as rocprofv3 writes them. Stream 0xa is number 1, stream 0xb number 2. */
class RocpdEventsTest {
    private static final String CALLS = """
            CREATE TABLE rocpd_string_0f (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, string TEXT NOT NULL);
            INSERT INTO rocpd_string_0f (id, string) VALUES (1, 'HIP_RUNTIME_API_EXT'), (2, 'KERNEL_DISPATCH'), (3, 'hipLaunchKernel'), (4, 'hipEventRecord'),
              (5, 'hipStreamWaitEvent'), (6, 'hipEventSynchronize');
            CREATE TABLE rocpd_info_agent_0f (id INTEGER NOT NULL PRIMARY KEY, type TEXT, type_index INTEGER, name TEXT, product_name TEXT);
            INSERT INTO rocpd_info_agent_0f VALUES (4, 'GPU', 0, 'gfx942', 'MI300X');
            CREATE TABLE rocpd_info_kernel_symbol_0f (id INTEGER NOT NULL PRIMARY KEY, kernel_name TEXT, display_name TEXT);
            INSERT INTO rocpd_info_kernel_symbol_0f VALUES (1, 'a.kd', 'before'), (2, 'b.kd', 'released');
            CREATE TABLE rocpd_event_0f (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, category_id INTEGER, stack_id INTEGER, extdata JSONB DEFAULT '{}' NOT NULL);
            INSERT INTO rocpd_event_0f (id, category_id, stack_id) VALUES (1, 1, 10), (2, 1, 11), (3, 1, 12), (4, 1, 13), (5, 1, 14), (6, 2, 10), (7, 2, 13);
            CREATE TABLE rocpd_region_0f (id INTEGER NOT NULL PRIMARY KEY, pid INTEGER, tid INTEGER, start BIGINT, "end" BIGINT, name_id INTEGER, event_id INTEGER);
            INSERT INTO rocpd_region_0f VALUES (10, 42, 7, 100, 110, 3, 1), (11, 42, 7, 120, 130, 4, 2), (12, 42, 7, 140, 150, 5, 3), (13, 42, 7, 160, 170, 3, 4),
              (14, 42, 7, 180, 310, 6, 5);
            CREATE TABLE rocpd_kernel_dispatch_0f (id INTEGER NOT NULL PRIMARY KEY, pid INTEGER, tid INTEGER, agent_id INTEGER, kernel_id INTEGER,
              queue_id INTEGER, stream_id INTEGER, start BIGINT NOT NULL, "end" BIGINT NOT NULL, event_id INTEGER);
            INSERT INTO rocpd_kernel_dispatch_0f VALUES (1, 42, 7, 4, 1, 16, 1, 115, 300, 6), (2, 42, 7, 4, 2, 17, 2, 301, 400, 7);
            """;

    private static final String ARGUMENTS = """
            CREATE TABLE rocpd_arg_0f (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, event_id INTEGER, position INTEGER, type TEXT, name TEXT, value TEXT);
            INSERT INTO rocpd_arg_0f (event_id, position, type, name, value) VALUES (1, 5, 'ihipStream_t*', 'stream', '0xa'), (2, 0, 'ihipEvent_t*', 'event', '0xe'),
              (2, 1, 'ihipStream_t*', 'stream', '0xa'), (3, 0, 'ihipStream_t*', 'stream', '0xb'), (3, 1, 'ihipEvent_t*', 'event', '0xe'), (3, 2, 'unsigned int', 'flags', '0'),
              (4, 5, 'ihipStream_t*', 'stream', '0xb'), (5, 0, 'ihipEvent_t*', 'event', '0xe');
            """;

    @TempDir
    private Path folder;

    private List<String> waits(String tables) throws Exception {
        Timeline timeline = Formats.importers().load(SqliteFixture.write(folder.resolve("x_results.db"), tables));
        assertThat(TimelineDump.links(timeline, LinkKind.LAUNCH)).hasSize(2);
        return TimelineDump.links(timeline, LinkKind.EVENT_WAIT);
    }

    @Test
    void aStreamAndACallWaitForWhatWasBeforeTheEvent() throws Exception {
        assertThat(waits(CALLS + ARGUMENTS)).containsExactly("before -> hipEventSynchronize", "before -> released");
    }

    @Test
    void withoutArgumentsNothingIsGuessed() throws Exception {
        assertThat(waits(CALLS)).isEmpty();
    }
}
