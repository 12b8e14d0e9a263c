package io.inferscope.report;

import java.util.List;

/** Names that a trace can carry and that must stay names. */
final class HostileText {
    /** Marks each of them, so that they can be found. */
    static final String CANARY = "canary";

    private HostileText() {}

    static List<String> corpus() {
        return List.of(
                "<script>document.title='canary'</script>",
                "</script><script>document.title='canary'</script>",
                "</style><img src=x onerror=\"document.title='canary'\">",
                "<!-- canary",
                "--> canary <b>",
                "]]> canary",
                "\" onmouseover=\"document.title='canary'\" x=\"",
                "' onmouseover='document.title=1' canary='",
                "javascript:document.title='canary'",
                "[canary](javascript:alert(1))",
                "![canary](https://example.com/x.png)",
                "[canary]: https://example.com",
                "canary https://example.com www.example.com a@example.com @octocat #1",
                "canary\u2028next\u2029paragraph\u0085line",
                "canary\r\n# heading\n\n- item\n```\n",
                "canary\u001b[31mred\u001b]0;title\u0007\u009b2J",
                "canary\u202egnp.exe\u2066\u2069\u200f",
                "canary | cell \\| cell \\\\| ||",
                "`canary``canary```",
                "~~~canary~~~ **bold** _it_ *em* $x$ &lt; &amp;",
                "%%TOKEN%% ${canary} {{canary}} {cost}",
                "<details><summary>canary",
                "1. canary",
                "- canary",
                "# canary",
                "=== canary ===",
                "    canary",
                "canary \\",
                "canary \ud800 half, \udc00 half, \ud83d\ude80 whole",
                "canary \u0000\u0001\u007f\ufeff\uffff",
                "canary " + "x".repeat(1_000_000),
                "`".repeat(1_000) + "canary",
                "");
    }
}
