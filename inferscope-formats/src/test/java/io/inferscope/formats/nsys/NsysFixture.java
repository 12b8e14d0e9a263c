package io.inferscope.formats.nsys;

/** A small export with every table that is read: two processes, each of which calls its GPU number 0. */
public final class NsysFixture {
    /** Process 10, thread 11; process 20, thread 20: {@code process << 24 | thread}. */
    public static final String EXPORT = """
            CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
            INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'gemm<float>(int)'), (3, 'gemm'),
              (4, 'cudaMemcpy_v3020'), (5, 'cudaGraphLaunch_v10000'), (6, 'cuLaunchKernel'), (7, 'poll'), (8, 'mmap'),
              (9, 'worker'), (10, 'step'), (11, 'Lazy Function Loading'), (12, 'Command Buffer Full'), (13, 'pthread_cond_wait'),
              (14, 'cudaStreamSynchronize_ptsz_v7000'), (15, 'ncclAllReduce'), (16, 'Buffer flush');
            CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, "end" INTEGER NOT NULL, eventClass INTEGER, globalTid INTEGER,
              correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER);
            INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1000, 1100, 0, 167772171, 1, 1, 0), (2000, 2500, 0, 167772171, 2, 4, 0),
              (3000, 3100, 0, 167772171, 3, 5, 0), (1000, 1200, 0, 335544340, 1, 6, 0), (4000, 9000, 0, 167772171, 4, 14, 0);
            CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, "end" INTEGER NOT NULL, deviceId INTEGER, contextId INTEGER,
              streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, graphNodeId INTEGER);
            INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1500, 1900, 0, 1, 7, 1, 167772160, 2, 3, NULL),
              (1600, 1700, 0, 1, 7, 1, 335544320, NULL, 3, NULL), (3500, 3600, 0, 1, 7, 3, 167772160, 2, 3, 5), (3600, 3700, 0, 1, 7, 3, 167772160, 2, 3, 6);
            CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, "end" INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
              correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);
            INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (2100, 2400, 0, 1, 7, 2, 167772160, 4096, 1, 0, 2), (2400, 2450, 0, 1, 7, 0, 167772160, 64, 10, 2, 2),
              (2500, 2600, 0, 1, 7, 0, 167772160, 4096, 12, 7, 7);
            CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, "end" INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
              correlationId INTEGER, globalPid INTEGER, bytes INTEGER, memKind INTEGER);
            INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (2900, 2950, 0, 1, 7, 0, 167772160, 256, 2);
            CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, "end" INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
              correlationId INTEGER, globalPid INTEGER, syncType INTEGER);
            INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (4100, 8900, 0, 1, 7, 4, 167772160, 3);
            CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, "end" INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
              correlationId INTEGER, globalPid INTEGER, graphId INTEGER);
            INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (5000, 6000, 0, 1, 7, 0, 167772160, 12);
            CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD (start INTEGER, "end" INTEGER, globalTid INTEGER, nameId INTEGER, overheadType INTEGER);
            INSERT INTO CUPTI_ACTIVITY_KIND_OVERHEAD VALUES (1010, 1050, 167772171, 11, 7), (3010, 3090, 167772171, 12, 8), (9100, 9200, 167772171, 16, 3);
            CREATE TABLE ENUM_CUPTI_OVERHEAD_TYPE (id INTEGER PRIMARY KEY, name TEXT, label TEXT);
            INSERT INTO ENUM_CUPTI_OVERHEAD_TYPE VALUES (3, 'OVERHEAD_CUPTI_BUFFER_FLUSH', 'x'), (7, 'OVERHEAD_LAZY_FUNCTION_LOADING', 'x'), (8, 'OVERHEAD_COMMAND_BUFFER_FULL', 'x');
            CREATE TABLE ENUM_CUDA_MEM_KIND (id INTEGER PRIMARY KEY, name TEXT, label TEXT);
            INSERT INTO ENUM_CUDA_MEM_KIND VALUES (0, 'x', 'Pageable'), (1, 'x', 'Pinned'), (2, 'x', 'Device');
            CREATE TABLE ENUM_CUPTI_SYNC_TYPE (id INTEGER PRIMARY KEY, name TEXT, label TEXT);
            INSERT INTO ENUM_CUPTI_SYNC_TYPE VALUES (3, 'x', 'Stream sync');
            CREATE TABLE OSRT_API (start INTEGER, "end" INTEGER, eventClass INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER,
              returnValue INTEGER, nestingLevel INTEGER);
            INSERT INTO OSRT_API VALUES (10000, 12000, 27, 167772171, 0, 7, 0, NULL), (12100, 12200, 27, 167772171, 0, 8, 0, NULL),
              (13000, 15000, 27, 167772171, 0, 13, 0, NULL), (13100, 14000, 27, 167772171, 0, 7, 0, 1);
            CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, "end" INTEGER, eventType INTEGER, rangeId INTEGER, text TEXT, globalTid INTEGER,
              endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);
            INSERT INTO NVTX_EVENTS VALUES (900, 3900, 59, NULL, NULL, 167772171, NULL, 10, 0),
              (950, 1300, 59, NULL, 'aten::mm, seq = 3, op_id = 71, sizes = [[2, 3], [3, 4]], input_op_ids = [(1,0), (2,0)]', 167772171, NULL, NULL, 0),
              (1310, 1400, 59, NULL, 'Forward, op_id = 9', 167772171, NULL, NULL, 0), (1000, 1300, 59, NULL, NULL, 335544340, NULL, 15, 1),
              (3950, NULL, 60, 1, 'request', 167772171, NULL, NULL, 0), (3960, NULL, 34, NULL, 'mark', 167772171, NULL, NULL, 0),
              (0, NULL, 75, NULL, 'NCCL', 335544340, NULL, NULL, 1), (0, NULL, 33, NULL, 'category', 335544340, NULL, NULL, 1);
            CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
            INSERT INTO PROCESSES VALUES (167772160, 10, 'python3'), (503316480, 30, 'idle');
            CREATE TABLE ThreadNames (nameId INTEGER, priority INTEGER, globalTid INTEGER);
            INSERT INTO ThreadNames VALUES (9, 20, 167772171);
            CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT);
            INSERT INTO TARGET_INFO_GPU VALUES (0, 'GPU A'), (3, 'GPU D');
            CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);
            INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 10), (3, 0, 20);
            CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT);
            INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000, 'x');
            CREATE TABLE ANALYSIS_DETAILS (globalVid INTEGER, duration INTEGER, startTime INTEGER, stopTime INTEGER);
            INSERT INTO ANALYSIS_DETAILS VALUES (0, 100, 500, 600);
            CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT);
            INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ENVIRONMENT', 'TOKEN=secret');
            CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER, timestampType INTEGER, source INTEGER, severity INTEGER, text TEXT);
            INSERT INTO DIAGNOSTIC_EVENT VALUES (0, 0, 0, 1, 'Process was launched'), (0, 0, 0, 2, '17 CUDA events were dropped'),
              (0, 0, 0, 3, 'Not all OS runtime libraries events might have been collected.');
            CREATE TABLE GPU_METRICS (rawTimestamp INTEGER, timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER);
            INSERT INTO GPU_METRICS VALUES (1, 1, 1, 1, 1), (2, 2, 1, 1, 1);
            """;

    private NsysFixture() {}
}
