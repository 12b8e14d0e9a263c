package io.inferscope.formats.xla;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Builds xplane.pb messages for tests, field by field, in the order in which they are called. */
final class XspaceWriter {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CodedOutputStream out = CodedOutputStream.newInstance(bytes);

    private interface Write {
        void write() throws IOException;
    }

    private XspaceWriter did(Write write) {
        try {
            write.write();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    XspaceWriter number(int field, long value) {
        return did(() -> out.writeInt64(field, value));
    }

    XspaceWriter text(int field, String value) {
        return did(() -> out.writeString(field, value));
    }

    XspaceWriter message(int field, XspaceWriter message) {
        return did(() -> out.writeBytes(field, ByteString.copyFrom(message.toBytes())));
    }

    XspaceWriter packed(int field, int... values) {
        XspaceWriter numbers = new XspaceWriter();
        for (int value : values) {
            numbers.raw(value);
        }
        return message(field, numbers);
    }

    /** Begins a field of that length, which nothing follows. */
    XspaceWriter length(int field, long bytes) {
        return did(() -> {
            out.writeTag(field, WireFormat.WIRETYPE_LENGTH_DELIMITED);
            out.writeUInt64NoTag(bytes);
        });
    }

    XspaceWriter raw(int singleByte) {
        return did(() -> out.writeRawByte((byte) singleByte));
    }

    byte[] toBytes() {
        did(out::flush);
        return bytes.toByteArray();
    }

    static XspaceWriter event(long metadataId, long offsetPs, long durationPs) {
        return new XspaceWriter()
                .number(XplaneFields.EVENT_METADATA_ID, metadataId)
                .number(XplaneFields.EVENT_OFFSET_PS, offsetPs)
                .number(XplaneFields.EVENT_DURATION_PS, durationPs);
    }

    XspaceWriter stat(long id, long value) {
        return message(
                XplaneFields.EVENT_STAT,
                new XspaceWriter().number(XplaneFields.STAT_METADATA_ID, id).number(XplaneFields.STAT_INT64, value));
    }

    XspaceWriter statReference(long id, long nameId) {
        return message(
                XplaneFields.EVENT_STAT,
                new XspaceWriter()
                        .number(XplaneFields.STAT_METADATA_ID, id)
                        .number(XplaneFields.STAT_REFERENCE, nameId));
    }

    static XspaceWriter line(long id, String name, long timestampNs) {
        return new XspaceWriter()
                .number(XplaneFields.LINE_ID, id)
                .text(XplaneFields.LINE_NAME, name)
                .number(XplaneFields.LINE_TIMESTAMP_NS, timestampNs);
    }

    XspaceWriter with(XspaceWriter event) {
        return message(XplaneFields.LINE_EVENT, event);
    }

    static XspaceWriter plane(String name, XspaceWriter... lines) {
        XspaceWriter plane = new XspaceWriter().text(XplaneFields.PLANE_NAME, name);
        for (XspaceWriter line : lines) {
            plane.message(XplaneFields.PLANE_LINE, line);
        }
        return plane;
    }

    XspaceWriter eventName(long id, String name) {
        return name(XplaneFields.PLANE_EVENT_METADATA, id, name);
    }

    XspaceWriter statName(long id, String name) {
        return name(XplaneFields.PLANE_STAT_METADATA, id, name);
    }

    private XspaceWriter name(int field, long id, String name) {
        XspaceWriter metadata =
                new XspaceWriter().number(XplaneFields.MAP_KEY, id).text(XplaneFields.METADATA_NAME, name);
        return message(
                field, new XspaceWriter().number(XplaneFields.MAP_KEY, id).message(XplaneFields.MAP_VALUE, metadata));
    }

    XspaceWriter planeStat(long id, String value) {
        return message(
                XplaneFields.PLANE_STAT,
                new XspaceWriter().number(XplaneFields.STAT_METADATA_ID, id).text(XplaneFields.STAT_STRING, value));
    }

    XspaceWriter planeStat(long id, long value) {
        return message(
                XplaneFields.PLANE_STAT,
                new XspaceWriter().number(XplaneFields.STAT_METADATA_ID, id).number(XplaneFields.STAT_UINT64, value));
    }

    static byte[] space(XspaceWriter... planes) {
        XspaceWriter space = new XspaceWriter();
        for (XspaceWriter plane : planes) {
            space.message(XplaneFields.SPACE_PLANE, plane);
        }
        return space.toBytes();
    }
}
