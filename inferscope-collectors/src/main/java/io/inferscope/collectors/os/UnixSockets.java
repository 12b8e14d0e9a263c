package io.inferscope.collectors.os;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Lists the connected Unix sockets of this network namespace, as {@code ss -x} does: sock_diag(7). Numbers:
 * linux/netlink.h, linux/sock_diag.h, linux/unix_diag.h.
 */
final class UnixSockets {
    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW_CLOEXEC = 3 | 0x80000;
    private static final int NETLINK_SOCK_DIAG = 4;
    private static final int HEADER_BYTES = 16; // struct nlmsghdr: u32 length, u16 type, u16 flags, u32, u32
    private static final short BY_FAMILY = 20; // SOCK_DIAG_BY_FAMILY
    private static final short REQUEST_DUMP = 0x301; // NLM_F_REQUEST | NLM_F_DUMP
    private static final int REQUEST_BYTES = HEADER_BYTES + 24; // struct unix_diag_req
    private static final byte AF_UNIX = 1;
    private static final int SHOW_PEER = 4; // UDIAG_SHOW_PEER
    private static final int INODE = 4; // In struct unix_diag_msg, of 16 bytes; attributes follow.
    private static final int MESSAGE_BYTES = 16;
    private static final short PEER = 2; // UNIX_DIAG_PEER: u32
    private static final int NOW = 0x40; // MSG_DONTWAIT: answers are there at once, and the sampler must never block.
    private static final int RECEIVE_BYTES = 1 << 15;

    /** Most answers read; each has some 300 sockets. */
    private static final int MOST_ANSWERS = 200;

    private UnixSockets() {}

    /**
     * Returns the inode of each connected socket's other end by its own inode; none where the kernel or a sandbox
     * refuses.
     */
    static Map<Integer, Integer> peers() {
        Map<Integer, Integer> found = new HashMap<>();
        int socket = LibC.socket(AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_SOCK_DIAG);
        if (socket < 0) {
            return found;
        }
        try {
            byte[] request = request();
            byte[] answer = new byte[RECEIVE_BYTES];
            boolean more = LibC.send(socket, request, request.length, 0) == request.length;
            for (int i = 0; more && i < MOST_ANSWERS; i++) {
                long length = LibC.recv(socket, answer, answer.length, NOW);
                more = length > 0 && add(found, ByteBuffer.wrap(Arrays.copyOf(answer, (int) length)));
            }
        } finally {
            LibC.close(socket);
        }
        return found;
    }

    private static byte[] request() {
        ByteBuffer request = ByteBuffer.allocate(REQUEST_BYTES).order(ByteOrder.nativeOrder());
        request.putInt(REQUEST_BYTES)
                .putShort(BY_FAMILY)
                .putShort(REQUEST_DUMP)
                .putInt(1)
                .putInt(0);
        request.put(AF_UNIX).put((byte) 0).putShort((short) 0);
        request.putInt(-1); // In any state.
        request.putInt(0).putInt(SHOW_PEER).putInt(-1).putInt(-1);
        return request.array();
    }

    /** Adds the sockets of an answer. Returns whether more answers follow: an error and the end have no inode. */
    static boolean add(Map<Integer, Integer> found, ByteBuffer answer) {
        answer.order(ByteOrder.nativeOrder());
        for (int at = 0; at + HEADER_BYTES <= answer.limit(); ) {
            int length = answer.getInt(at);
            if (answer.getShort(at + 4) != BY_FAMILY || length < HEADER_BYTES || at + length > answer.limit()) {
                return false;
            }
            int inode = length < HEADER_BYTES + MESSAGE_BYTES ? 0 : answer.getInt(at + HEADER_BYTES + INODE);
            for (int to = at + HEADER_BYTES + MESSAGE_BYTES; to + 8 <= at + length; ) {
                int bytes = answer.getShort(to) & 0xffff; // struct rtattr: u16 length, u16 type
                int other = answer.getShort(to + 2) == PEER ? answer.getInt(to + 4) : 0;
                if (other != 0) {
                    found.put(inode, other);
                }
                to += Math.max(4, aligned(bytes));
            }
            at += aligned(length);
        }
        return true;
    }

    private static int aligned(int bytes) {
        return bytes + 3 & ~3;
    }
}
