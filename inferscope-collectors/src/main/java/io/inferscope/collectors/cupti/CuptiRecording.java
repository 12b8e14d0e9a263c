package io.inferscope.collectors.cupti;

import io.inferscope.collectors.os.LinuxSystem;
import io.inferscope.collectors.os.NativeFunctions;
import io.inferscope.collectors.os.OwnThread;
import io.inferscope.collectors.os.ThreadEnd;
import io.inferscope.scope.device.DeviceRecorder;
import io.inferscope.scope.spool.DeviceRecord;
import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.scope.spool.SpoolWriter;
import java.io.IOException;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.bytedeco.cuda.cupti.CUpti_Activity;
import org.bytedeco.cuda.global.cupti;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;

/**
 * A running recording: a thread requests CUPTI's buffers every 100 ms, decodes them and reads the clocks after each,
 * like the CUDA agent. Before each request it makes a CUDA call of its own, which must be recorded; if no record
 * arrives, another profiler receives the records.
 */
final class CuptiRecording implements DeviceRecorder.Recording {
    static final String SOURCE = "cuda-jvm";

    /**
     * Half of the agent's period, because decoding takes longer here. A kill loses the records since the last flush and
     * those being decoded.
     */
    private static final long FLUSH_NS = 100_000_000L;

    private static final long PATIENCE_MS = 3_000;

    private final Cupti library;
    private final CuptiClocks clocks;
    private final NativeFunctions driver;
    private final ActivityBuffers buffers;
    private final SpoolWriter spool;
    private final CuptiTexts names = new CuptiTexts();
    private final ThreadIds threads;
    private final Thread thread;
    private final CountDownLatch ready = new CountDownLatch(1);
    private volatile boolean stopping;
    private volatile String failure = "";

    CuptiRecording(Cupti library, NativeFunctions driver, ActivityBuffers buffers, SpoolWriter spool)
            throws IOException {
        this.library = library;
        this.clocks = new CuptiClocks(library);
        this.driver = driver;
        this.buffers = buffers;
        this.spool = spool;
        threads = new ThreadIds();
        threads.learn();
        thread = new Thread(this::run, "inferscope-cuda");
        thread.setDaemon(true);
    }

    /**
     * Turns recording on.
     *
     * @throws IOException if CUPTI refuses; then nothing is recorded, and the spool contains the reason
     */
    void start() throws IOException {
        thread.start();
        boolean interrupted = false;
        while (ready.getCount() > 0) {
            try {
                ready.await();
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (!failure.isEmpty()) {
            throw new IOException(failure);
        }
    }

    /** All calls of CUPTI are made on this thread. */
    private void run() {
        try {
            ActivityDecoder decoder = begin();
            ready.countDown();
            record(decoder);
        } catch (IOException refused) {
            fail(String.valueOf(refused.getMessage()));
        } catch (RuntimeException | Error broken) { // The program continues without its records.
            fail("recording stopped early: " + broken);
        } finally {
            finish();
            ready.countDown();
        }
    }

    private void fail(String why) {
        failure = why;
        spool.write(new SpoolRecord.Coverage(SOURCE, why, 0, 1, spool.pid(), 2));
    }

    private ActivityDecoder begin() throws IOException {
        int pid = spool.pid();
        threads.learn();
        CallNames runtime = new CallNames(id -> library.callName(true, id), true);
        CallNames driverCalls = new CallNames(id -> library.callName(false, id), false);
        spool.write(new SpoolRecord.Note("runtime", "JVM " + Runtime.version().feature(), pid));
        spool.write(new SpoolRecord.Note("cupti", "API " + library.version() + ", " + library.file(), pid));
        spool.write(clocks.moment());
        buffers.open(() -> LockSupport.unpark(thread));
        library.register(buffers);
        library.enable(why -> spool.write(new SpoolRecord.Coverage(SOURCE, why, 0, 1, pid, 2)));
        library.silence(runtime, driverCalls);
        int ownPthreadLow = (int) OwnThread.current().pthread();
        return new ActivityDecoder(names, runtime, driverCalls, threads, ownPthreadLow);
    }

    private void record(ActivityDecoder decoder) {
        long nextFlushNs = System.nanoTime() + FLUSH_NS;
        while (!stopping) {
            LockSupport.parkNanos(this, nextFlushNs - System.nanoTime());
            if (System.nanoTime() - nextFlushNs >= 0) {
                callToBeHeard();
                library.flush(false);
                spool.write(clocks.moment());
                nextFlushNs = System.nanoTime() + FLUSH_NS;
            }
            store(decoder);
            spool.flush(); // Write now: a kill loses unwritten records, which otherwise would wait for a second round.
        }
        callToBeHeard();
        library.disable();
        library.flush(true);
        store(decoder);
        spool.write(clocks.moment());
    }

    private void callToBeHeard() {
        driver.storedInt("cuDriverGetVersion");
    }

    private void store(ActivityDecoder decoder) {
        spool.lost(buffers.takeDiscarded());
        for (ActivityBuffers.Full full = buffers.next(); full != null; full = buffers.next()) {
            threads.nextRound();
            decode(full, decoder);
            spool.write(clocks.moment());
            buffers.giveBack(full.memory());
        }
    }

    private void decode(ActivityBuffers.Full full, ActivityDecoder decoder) {
        spool.lost(full.dropped());
        BytePointer memory = full.memory();
        long end = memory.address() + full.validBytes();
        CUpti_Activity record = new CUpti_Activity((Pointer) null);
        int result = cupti.cuptiActivityGetNextRecord(memory, full.validBytes(), record);
        while (result == cupti.CUPTI_SUCCESS) {
            long room = end - record.address();
            if (record.address() < memory.address() || room < Integer.BYTES) {
                break;
            }
            int needed = decoder.bytesRead(record.kind());
            DeviceRecord said = needed > 0 && needed <= room ? decoder.decode(record) : null;
            if (said != null) {
                spool.write(said);
            }
            spool.lost(needed > room ? 1 : 0);
            result = cupti.cuptiActivityGetNextRecord(memory, full.validBytes(), record);
        }
        spool.lost(result == cupti.CUPTI_ERROR_MAX_LIMIT_REACHED ? 0 : 1); // The rest of the buffer cannot be parsed.
    }

    private void finish() {
        int pid = spool.pid();
        spool.write(new SpoolRecord.Overhead(new LinuxSystem().threadCpuNs(), 0, SOURCE, pid, spool.written()));
        spool.close();
        buffers.close();
        names.clear();
        threads.close();
    }

    @Override
    public void stop() {
        stopping = true;
        LockSupport.unpark(thread);
        ThreadEnd.awaitEnd(thread, PATIENCE_MS);
    }

    /** CUPTI's clock beside the others. */
    private record CuptiClocks(Cupti library) {
        private static final int CLOCK_TRIES = 5;

        /**
         * CUPTI's clock follows Unix time. If the two differ by a day, another profiler has replaced CUPTI's clock:
         * torch.profiler uses the processor's counter.
         */
        private static final long REPLACED_NS = 86_400_000_000_000L;

        /** Reads all clocks at one moment, using the narrowest of several brackets. */
        DeviceRecord.Moment moment() {
            DeviceRecord.Moment best = null;
            for (int i = 0; i < CLOCK_TRIES; i++) {
                long beforeNs = System.nanoTime();
                long cuptiNs = library.now();
                Instant now = Instant.now();
                int halfNs = (int) Math.min(Integer.MAX_VALUE, (System.nanoTime() - beforeNs + 1) / 2);
                if (best == null || halfNs < best.uncertaintyNs()) {
                    long realtimeNs = now.getEpochSecond() * 1_000_000_000L + now.getNano();
                    boolean replaced = cuptiNs != 0 && Math.abs(cuptiNs - realtimeNs) > REPLACED_NS;
                    best = new DeviceRecord.Moment(
                            beforeNs + halfNs, realtimeNs, cuptiNs, replaced ? cuptiNs : 0, halfNs);
                }
            }
            return Objects.requireNonNull(best);
        }
    }
}
