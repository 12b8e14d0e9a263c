package io.inferscope.formats.rocm;

/** A small recording in both layouts of schema version 3, with the columns that are read and some that are not. */
public final class RocpdFixture {
    private static final String NAMES = """
            CREATE TABLE rocpd_metadata_0f (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, tag TEXT NOT NULL, value TEXT NOT NULL);
            INSERT INTO rocpd_metadata_0f (tag, value) VALUES ('schema_version', '3');
            CREATE TABLE rocpd_string_0f (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, string TEXT NOT NULL UNIQUE ON CONFLICT ABORT);
            INSERT INTO rocpd_string_0f (id, string) VALUES (1, 'HIP_RUNTIME_API_EXT'), (2, 'KERNEL_DISPATCH'), (3, 'hipLaunchKernel_spt'), (4, 'hipGraphLaunch'),
              (5, 'MEMORY_COPY_HOST_TO_DEVICE'), (6, 'MARKER_CORE_RANGE_API'), (7, 'roctxThreadRangeA'), (8, 'HSA_CORE_API'), (9, 'hsa_signal_wait_scacquire'),
              (10, 'roctxGetThreadId'), (11, 'RCCL_API'), (12, 'ncclAllReduce'), (13, 'MEMORY_ALLOCATION');
            CREATE TABLE rocpd_info_process_0f (id INTEGER NOT NULL PRIMARY KEY, nid INTEGER, pid INTEGER NOT NULL, name TEXT, command TEXT, environment JSONB);
            INSERT INTO rocpd_info_process_0f VALUES (42, 1, 42, NULL, 'serve --token secret', '{"KEY": "secret"}');
            CREATE TABLE rocpd_info_thread_0f (id INTEGER NOT NULL PRIMARY KEY, pid INTEGER, tid INTEGER, name TEXT);
            INSERT INTO rocpd_info_thread_0f VALUES (7, 42, 7, 'scheduler'), (8, 42, 8, 'unused');
            CREATE TABLE rocpd_info_agent_0f (id INTEGER NOT NULL PRIMARY KEY, type TEXT, type_index INTEGER, name TEXT, product_name TEXT);
            INSERT INTO rocpd_info_agent_0f VALUES (0, 'CPU', 0, 'cpu', 'cpu'), (4, 'GPU', 0, 'gfx942', 'MI300X'), (5, 'GPU', 1, 'gfx942', NULL);
            CREATE TABLE rocpd_info_kernel_symbol_0f (id INTEGER NOT NULL PRIMARY KEY, kernel_name TEXT, display_name TEXT);
            INSERT INTO rocpd_info_kernel_symbol_0f VALUES (1, '_Z4gemmv.kd', 'gemm()'), (2, 'raw.kd', NULL);
            CREATE TABLE rocpd_event_0f (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER,
              correlation_id INTEGER, extdata JSONB DEFAULT '{}' NOT NULL);
            INSERT INTO rocpd_event_0f (id, category_id, stack_id, extdata) VALUES (1, 1, 10, '{}'), (2, 1, 11, '{}'), (3, 2, 10, '{}'), (4, 2, 11, '{}'), (5, 2, 11, '{}'),
              (6, 6, 12, '{"message": "step"}'), (7, 8, 13, 'no json'), (8, 6, 14, '{}'), (9, 11, 15, '{}'), (10, 2, 10, '{}'), (11, 6, 16, '{"message": "here"}'),
              (12, 1, 17, '{}'), (13, 13, 18, '{}');
            CREATE TABLE rocpd_pmc_event_0f (id INTEGER NOT NULL PRIMARY KEY, event_id INTEGER, pmc_id INTEGER, value REAL);
            INSERT INTO rocpd_pmc_event_0f VALUES (1, 3, 1, 0.5), (2, 3, 2, 0.5);
            CREATE VIEW rocpd_string AS SELECT * FROM rocpd_string_0f;
            """;

    /** The layout of the releases: everything in the row. */
    public static final String INLINE = NAMES + """
            CREATE TABLE rocpd_kernel_dispatch_0f (id INTEGER NOT NULL PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER, kernel_id INTEGER,
              queue_id INTEGER, stream_id INTEGER, start BIGINT NOT NULL, "end" BIGINT NOT NULL, region_name_id INTEGER, event_id INTEGER);
            INSERT INTO rocpd_kernel_dispatch_0f VALUES (1, 1, 42, 7, 4, 1, 16, 2, 150, 250, 1, 3), (2, 1, 42, 7, 4, 2, 17, 0, 260, 270, 1, 4), (3, 1, 42, 7, 5, 77, 16, 2, 260, 280, 1, 5);
            CREATE TABLE rocpd_memory_copy_0f (id INTEGER NOT NULL PRIMARY KEY, pid INTEGER, tid INTEGER, start BIGINT, "end" BIGINT, name_id INTEGER, dst_agent_id INTEGER,
              src_agent_id INTEGER, size INTEGER, queue_id INTEGER, stream_id INTEGER, event_id INTEGER);
            INSERT INTO rocpd_memory_copy_0f VALUES (1, 42, 7, 300, 380, 5, 4, 0, 4096, NULL, 2, 10), (2, 42, 7, 300, 380, 5, 0, 0, 1, NULL, 2, 10);
            CREATE TABLE rocpd_memory_allocate_0f (id INTEGER NOT NULL PRIMARY KEY, pid INTEGER, tid INTEGER, type TEXT, level TEXT, start BIGINT, "end" BIGINT, size INTEGER, event_id INTEGER);
            INSERT INTO rocpd_memory_allocate_0f VALUES (1, 42, 7, 'ALLOC', 'REAL', 600, 640, 64, 13), (2, 42, 7, 'ALLOC', 'SCRATCH', 600, 640, 64, 13);
            CREATE TABLE rocpd_region_0f (id INTEGER NOT NULL PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, start BIGINT, "end" BIGINT, name_id INTEGER, event_id INTEGER);
            INSERT INTO rocpd_region_0f VALUES (10, 1, 42, 7, 100, 120, 3, 1), (11, 1, 42, 7, 200, 220, 4, 2), (12, 1, 42, 7, 90, 800, 7, 6), (13, 1, 42, 7, 400, 500, 9, 7),
              (14, 1, 42, 7, 97, 98, 10, 8), (15, 1, 42, 7, 700, 710, 12, 9), (16, 1, 42, 7, 900, 800, 3, NULL);
            CREATE TABLE rocpd_track_0f (id INTEGER NOT NULL PRIMARY KEY, pid INTEGER, tid INTEGER, name_id INTEGER);
            INSERT INTO rocpd_track_0f VALUES (1, 42, 7, 6);
            CREATE TABLE rocpd_sample_0f (id INTEGER NOT NULL PRIMARY KEY, track_id INTEGER NOT NULL, timestamp BIGINT NOT NULL, event_id INTEGER);
            INSERT INTO rocpd_sample_0f VALUES (1, 1, 95, 11), (2, 1, 96, 12);
            """;

    /** The layout with stamps and tracks in tables of their own. */
    public static final String TRACKS = NAMES + """
            CREATE TABLE rocpd_track_0f (id INTEGER NOT NULL PRIMARY KEY, pid INTEGER, tid INTEGER, agent_id INTEGER, queue_id INTEGER, stream_id INTEGER);
            INSERT INTO rocpd_track_0f VALUES (1, 42, 7, NULL, NULL, NULL), (2, 42, 7, 4, 16, 2);
            CREATE TABLE rocpd_timestamp_0f (id INTEGER NOT NULL PRIMARY KEY, value BIGINT NOT NULL, phase INTEGER, track_id INTEGER);
            INSERT INTO rocpd_timestamp_0f VALUES (1, 100, 1, 1), (2, 120, 2, 1), (3, 150, 1, 2), (4, 250, 2, 2), (5, 95, 0, 1);
            CREATE TABLE rocpd_region_0f (id INTEGER NOT NULL PRIMARY KEY, track_id INTEGER, name_id INTEGER, start_id INTEGER, end_id INTEGER, event_id INTEGER);
            INSERT INTO rocpd_region_0f VALUES (10, 1, 3, 1, 2, 1), (11, 1, 3, 99, 2, 1);
            CREATE TABLE rocpd_kernel_dispatch_0f (id INTEGER NOT NULL PRIMARY KEY, track_id INTEGER, kernel_id INTEGER, start_id INTEGER, end_id INTEGER, event_id INTEGER);
            INSERT INTO rocpd_kernel_dispatch_0f VALUES (1, 2, 1, 3, 4, 3);
            CREATE TABLE rocpd_sample_0f (id INTEGER NOT NULL PRIMARY KEY, track_id INTEGER, name_id INTEGER, timestamp_id INTEGER, event_id INTEGER);
            INSERT INTO rocpd_sample_0f VALUES (1, 1, 7, 5, 11);
            """;

    private RocpdFixture() {}
}
