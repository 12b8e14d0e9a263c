package io.inferscope.shapes.log;

/** The numbers of a row that differ from call to call; -1 where the row does not have one. Reused for each row. */
final class RowNumbers {
    long callId;
    long forwardPass;
    long operationCount;

    void clear() {
        callId = -1;
        forwardPass = -1;
        operationCount = -1;
    }
}
