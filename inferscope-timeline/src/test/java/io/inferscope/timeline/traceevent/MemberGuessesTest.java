package io.inferscope.timeline.traceevent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class MemberGuessesTest {
    private static final int NAME = 7;

    private final MemberGuesses guesses = new MemberGuesses();

    private static JsonCursor at(String text) throws IOException {
        ByteWindow window = new ByteWindow();
        window.reset(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), 0);
        window.more(0);
        JsonCursor cursor = new JsonCursor();
        cursor.reset(window, 0);
        return cursor;
    }

    private int learn(int last, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return guesses.learn(last, bytes, 0, bytes.length, NAME);
    }

    @Test
    void learntBytesArePassedUpToTheValue() throws IOException {
        int member = learn(MemberGuesses.START, ",\n    \"name\": ");
        JsonCursor cursor = at(",\n    \"name\": \"gemm\"");

        assertThat(guesses.pass(cursor, MemberGuesses.START)).isEqualTo(member);
        assertThat(guesses.key(member)).isEqualTo(NAME);
        assertThat(cursor.position()).isEqualTo(",\n    \"name\": ".length());
    }

    @Test
    void anyOtherByteIsNoGuess() throws IOException {
        String learnt = ",\n    \"name\": ";
        learn(MemberGuesses.START, learnt);
        for (int i = 0; i < learnt.length(); i++) {
            JsonCursor cursor = at(learnt.substring(0, i) + '~' + learnt.substring(i + 1) + "1");
            assertThat(guesses.pass(cursor, MemberGuesses.START))
                    .as("byte %d", i)
                    .isEqualTo(MemberGuesses.START);
            assertThat(cursor.position()).isZero();
        }
    }

    @Test
    void bytesBehindTheEndOfTheWindowDoNotCount() throws IOException {
        learn(MemberGuesses.START, ",\"name\":");
        assertThat(guesses.pass(at(",\"name\""), MemberGuesses.START)).isEqualTo(MemberGuesses.START);
    }

    @Test
    void theLastTwoSuccessorsAreTried() throws IOException {
        int first = learn(MemberGuesses.START, ",\"a\":");
        int second = learn(MemberGuesses.START, ",\"b\":");
        assertThat(guesses.pass(at(",\"a\":1"), MemberGuesses.START)).isEqualTo(first);
        assertThat(guesses.pass(at(",\"b\":1"), MemberGuesses.START)).isEqualTo(second);
        int third = learn(MemberGuesses.START, ",\"c\":");
        assertThat(guesses.pass(at(",\"a\":1"), MemberGuesses.START)).isEqualTo(MemberGuesses.START);
        assertThat(guesses.pass(at(",\"c\":1"), MemberGuesses.START)).isEqualTo(third);
        assertThat(guesses.pass(at(",\"c\":1"), first))
                .as("after another member")
                .isEqualTo(MemberGuesses.START);
    }

    @Test
    void theSameBytesAreOneMember() {
        assertThat(learn(MemberGuesses.START, ",\"a\":")).isEqualTo(learn(MemberGuesses.START, ",\"a\":"));
    }

    @Test
    void escapesTextsBeyondAsciiAndLongNamesAreScannedEachTime() throws IOException {
        for (String text : new String[] {",\"n\\u0061me\":", ",\"n\u00e4me\":", ",\"" + "n".repeat(80) + "\":"}) {
            int member = learn(MemberGuesses.START, text);
            assertThat(guesses.pass(at(text + "1"), MemberGuesses.START))
                    .as(text)
                    .isEqualTo(MemberGuesses.START);
            learn(member, ",\"a\":");
            assertThat(guesses.pass(at(",\"a\":1"), member)).as(text).isEqualTo(MemberGuesses.START);
        }
    }

    @Test
    void moreMembersThanItHoldsAreScannedEachTime() throws IOException {
        for (int i = 0; i < 1000; i++) {
            learn(MemberGuesses.START, ",\"" + i + "\":");
        }
        assertThat(guesses.pass(at(",\"999\":1"), MemberGuesses.START)).isEqualTo(MemberGuesses.START);
    }
}
