package io.inferscope.timeline.spool;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.scope.spool.SpoolFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class SpoolTextsTest {
    /** Damage may leave a record of its header alone, and the buffer may end there. */
    @Test
    void aTextThatWouldBeginBehindTheBuffersEndIsEmpty() {
        ByteBuffer bytes = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putShort(SpoolFormat.RECORD_HEADER_TYPE, (short) SpoolFormat.STRING)
                .putInt(4, 8);
        SpoolRecordView view = new SpoolRecordView(bytes);
        view.moveTo(0, 8, 0);
        SpoolTexts texts = new SpoolTexts();

        texts.collect(view);

        assertThat(texts.orEmpty(0)).isEmpty();
    }
}
