package io.inferscope.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The script of a page: allowed by its hash, small, and without what turns text into markup or code. */
class PageScriptTest {
    private static final String PAGE = Recorded.page(Recorded.explained(Recorded.program(41, 200)));

    @Test
    void thePolicyAllowsThisScriptAndThisStyleAlone() throws Exception {
        String policy = part("Content-Security-Policy\" content=\"([^\"]*)\"").replace("&#39;", "'");

        assertThat(policy)
                .contains("default-src 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'")
                .contains(
                        "script-src 'sha256-" + sha256(script()) + "';", "style-src 'sha256-" + sha256(style()) + "';")
                .doesNotContain("unsafe-");
    }

    @Test
    void itIsSmallAndMakesNoMarkupOfText() {
        assertThat(script().getBytes(StandardCharsets.UTF_8).length).isLessThan(60_000);
        assertThat(style().getBytes(StandardCharsets.UTF_8).length).isLessThan(12_000);
        assertThat(script())
                .doesNotContain(
                        "innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function(", "fetch(");
    }

    private static String script() {
        return part("(?s)<script>(.*?)</script>");
    }

    private static String style() {
        return part("(?s)<style>(.*?)</style>");
    }

    private static String part(String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(PAGE);
        assertThat(matcher.find()).as(pattern).isTrue();
        return matcher.group(1);
    }

    private static String sha256(String text) throws Exception {
        return Base64.getEncoder()
                .encodeToString(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    }
}
