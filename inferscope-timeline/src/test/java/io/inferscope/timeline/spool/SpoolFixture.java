package io.inferscope.timeline.spool;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/** Writes spools byte by byte as docs/spool-format.md says, independently of the product's writers; also wrong ones. */
final class SpoolFixture {
    static final long OPENED_NS = 1_000_000_000_000L;
    static final long UNIX_NS = 1_760_000_000_000_000_000L;

    private final ByteArrayOutputStream file = new ByteArrayOutputStream();
    private final ByteArrayOutputStream records = new ByteArrayOutputStream();
    private int blocks;
    private int nextText = 1;

    SpoolFixture(int pid, String source) {
        ByteBuffer header = buffer(64);
        header.put("ISPOOL1\n".getBytes(StandardCharsets.US_ASCII))
                .putShort((short) 1)
                .putShort((short) 0);
        header.putInt(64)
                .putInt(pid)
                .putInt(0)
                .putLong(OPENED_NS)
                .putLong(UNIX_NS)
                .putLong(0);
        header.put(source.getBytes(StandardCharsets.US_ASCII));
        file.writeBytes(content(header));
    }

    static ByteBuffer buffer(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static byte[] content(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.capacity()];
        buffer.get(0, bytes);
        return bytes;
    }

    /** Stores a text and returns its id. */
    int text(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        ByteBuffer body = buffer(8 + (utf8.length + 7) / 8 * 8);
        record(1, 0, body.putInt(nextText).putInt(utf8.length).put(utf8));
        return nextText++;
    }

    SpoolFixture record(int type, int flags, ByteBuffer body) {
        byte[] bytes = content(body);
        ByteBuffer header =
                buffer(8).putShort((short) type).putShort((short) flags).putInt(8 + bytes.length);
        records.writeBytes(content(header));
        records.writeBytes(bytes);
        return this;
    }

    SpoolFixture span(long startNs, long endNs, int tid, int name, int activity, int flags) {
        ByteBuffer body = buffer(48)
                .putLong(startNs)
                .putLong(endNs)
                .putInt(tid)
                .putInt(name)
                .putShort((short) activity);
        return record(5, flags, body);
    }

    /** A later stretch of a span that began at {@code callStartNs}. */
    SpoolFixture stretch(long startNs, long endNs, int tid, int name, long callStartNs) {
        ByteBuffer body = buffer(48)
                .putLong(startNs)
                .putLong(endNs)
                .putInt(tid)
                .putInt(name)
                .putInt(0)
                .putInt(0);
        return record(5, 4, body.putLong(callStartNs));
    }

    SpoolFixture process(long startNs, int pid, int parent, int program, long endNs, int exitCode) {
        ByteBuffer body =
                buffer(40).putLong(startNs).putInt(pid).putInt(parent).putInt(0).putInt(program);
        return record(2, 0, body.putLong(endNs).putInt(exitCode).putInt(0));
    }

    SpoolFixture thread(int tid, int name, long pthread, int pid) {
        ByteBuffer body = buffer(24).putInt(tid).putInt(name).putLong(pthread);
        return record(4, 0, body.putInt(pid).putInt(0));
    }

    SpoolFixture threadState(long startNs, long endNs, long onCpuNs, long runnableNs, int tid, int pid, int reason) {
        ByteBuffer body =
                buffer(64).putLong(startNs).putLong(endNs).putLong(onCpuNs).putLong(runnableNs);
        return record(
                7,
                0,
                body.putInt(tid)
                        .putInt(pid)
                        .putShort((short) reason)
                        .putShort((short) 0)
                        .putInt(2)
                        .putInt(3));
    }

    SpoolFixture frame(int id, int function, int file, int line) {
        return record(11, 0, buffer(24).putInt(id).putInt(function).putInt(file).putInt(line));
    }

    SpoolFixture stack(int id, int caller, int frame) {
        return record(12, 0, buffer(16).putInt(id).putInt(caller).putInt(frame));
    }

    SpoolFixture sample(long startNs, long endNs, int tid, int pid, int stack, int samples, int gil, int holder) {
        ByteBuffer body = buffer(40)
                .putLong(startNs)
                .putLong(endNs)
                .putInt(tid)
                .putInt(pid)
                .putInt(stack);
        return record(13, 0, body.putInt(samples).putInt(gil).putInt(holder));
    }

    SpoolFixture gives(long timeNs, long key, int number, int tid, int pid, int means, int name) {
        return handOver(timeNs, 0, key, number, tid, pid, means << 16, name);
    }

    SpoolFixture takes(long waitNs, long timeNs, long key, int number, int tid, int pid, int means, int name) {
        return handOver(timeNs, waitNs, key, number, tid, pid, means << 16 | 1, name);
    }

    private SpoolFixture handOver(
            long timeNs, long waitNs, long key, int number, int tid, int pid, int meansAndDirection, int name) {
        ByteBuffer body = buffer(56)
                .putLong(timeNs)
                .putLong(waitNs)
                .putLong(key)
                .putInt(number)
                .putInt(0);
        return record(
                14, 0, body.putInt(tid).putInt(pid).putInt(meansAndDirection).putInt(name));
    }

    SpoolFixture request(long arrivalNs, long endNs, long firstNs, int tid, int waitedUs, int name, int items) {
        return request(arrivalNs, endNs, firstNs, tid, waitedUs, name, items, 0);
    }

    SpoolFixture request(
            long arrivalNs, long endNs, long firstNs, int tid, int waitedUs, int name, int items, int detail) {
        ByteBuffer body = buffer(48).putLong(arrivalNs).putLong(endNs).putLong(firstNs);
        return record(
                15,
                0,
                body.putInt(tid)
                        .putInt(waitedUs)
                        .putInt(0)
                        .putInt(name)
                        .putInt(items)
                        .putInt(detail));
    }

    SpoolFixture note(int key, int value, int pid) {
        return record(16, 0, buffer(16).putInt(key).putInt(value).putInt(pid));
    }

    /** A reading of the device clock. */
    SpoolFixture reading(long monotonicNs, long cuptiNs, long ticks, int uncertaintyNs) {
        ByteBuffer body = buffer(40)
                .putLong(monotonicNs)
                .putLong(UNIX_NS - OPENED_NS + monotonicNs)
                .putLong(cuptiNs);
        return record(3, 0, body.putInt(0).putInt(uncertaintyNs).putLong(ticks));
    }

    SpoolFixture lane(int id, int device, int context, int stream) {
        return record(
                41, 0, buffer(16).putInt(id).putInt(device).putInt(context).putInt(stream));
    }

    /** A device; {@code uuid} and {@code instance} (of MIG, 0 for none) fill their unique ids. */
    SpoolFixture device(int number, int name, int uuid, int instance) {
        ByteBuffer body = buffer(64).putInt(number).putInt(name).putLong(0).putLong(0);
        for (int i = 0; i < 16; i++) {
            body.put((byte) uuid);
        }
        for (int i = 0; i < 16; i++) {
            body.put((byte) instance);
        }
        return record(43, 0, body.putInt(instance).putInt(0));
    }

    SpoolFixture mark(long ns, int tid, int name) {
        return record(
                6, 0, buffer(24).putLong(ns).putInt(tid).putInt(name).putInt(0).putInt(0));
    }

    SpoolFixture range(long ns, int flags, int id, int tid, int name) {
        ByteBuffer body = buffer(24).putLong(ns).putInt(id).putInt(tid).putInt(name);
        return record(40, flags, body.putInt(0));
    }

    SpoolFixture kernel(long startNs, long endNs, int correlation, int lane, int name) {
        ByteBuffer body =
                buffer(32).putLong(startNs).putLong(endNs).putInt(correlation).putInt(lane);
        return record(32, 0, body.putInt(name).putInt(0));
    }

    SpoolFixture call(long startNs, long endNs, int correlation, int tid, int name) {
        return call(startNs, endNs, correlation, tid, name, 0);
    }

    SpoolFixture call(long startNs, long endNs, int correlation, int tid, int name, int flags) {
        ByteBuffer body =
                buffer(32).putLong(startNs).putLong(endNs).putInt(correlation).putInt(tid);
        return record(35, flags, body.putInt(name).putInt(0));
    }

    /** Time that CUPTI says a thread was held up by something; {@code kind} is CUPTI's. */
    SpoolFixture recorderTime(long startNs, long endNs, int kind, int tid) {
        return record(
                37, 0, buffer(24).putLong(startNs).putLong(endNs).putInt(kind).putInt(tid));
    }

    SpoolFixture heard(long ns) {
        return record(45, 0, buffer(8).putLong(ns));
    }

    SpoolFixture wholeGraph(long startNs, long endNs, int correlation, int lane, int graph) {
        ByteBuffer body =
                buffer(32).putLong(startNs).putLong(endNs).putInt(correlation).putInt(lane);
        return record(47, 0, body.putInt(graph).putInt(0));
    }

    SpoolFixture recordedOnly(long startNs, long endNs) {
        return record(48, 0, buffer(16).putLong(startNs).putLong(endNs));
    }

    SpoolFixture notRecorded(long startNs, long endNs) {
        return record(46, 0, buffer(16).putLong(startNs).putLong(endNs));
    }

    SpoolFixture pace(long startNs, long endNs, long launches, int detail) {
        return record(
                51,
                0,
                buffer(32).putLong(startNs).putLong(endNs).putLong(launches).putShort((short) detail));
    }

    SpoolFixture raw(byte[] bytes) {
        records.writeBytes(bytes);
        return this;
    }

    /** Seals what was stored into a block. */
    SpoolFixture seal() {
        CRC32 crc = new CRC32();
        crc.update(records.toByteArray());
        return block(records.size(), records.size(), (int) crc.getValue(), 1);
    }

    /** Ends an open block with {@code unused} zero bytes after the records. */
    SpoolFixture open(int unused) {
        int capacity = records.size() + unused;
        records.writeBytes(new byte[unused]);
        return block(capacity, 0, 0, 0);
    }

    /** Ends a block with any header. */
    SpoolFixture block(int capacity, int used, int crc, int flags) {
        ByteBuffer header = buffer(32).put("SBLK".getBytes(StandardCharsets.US_ASCII));
        header.putInt(capacity).putInt(used).putInt(crc).putLong(blocks++).putLong(flags);
        file.writeBytes(content(header));
        file.writeBytes(records.toByteArray());
        records.reset();
        return this;
    }

    SpoolFixture outside(byte[] bytes) {
        file.writeBytes(bytes);
        return this;
    }

    byte[] bytes() {
        return file.toByteArray();
    }
}
