import CommandSupport
import TestSupport
import Testing

@Suite("The table of skr list is never wider than the terminal")
struct ListWidthTests {
    private static let names = [
        "short", String(repeating: "long-", count: 60) + "1", "日本語の長い名前の一つ目のサービスです",
        "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}",
        "👩🏽👩🏽👩🏽👩🏽👩🏽👩🏽👩🏽", "ﾊﾟﾊﾟﾊﾟﾊﾟﾊﾟﾊﾟﾊﾟﾊﾟﾊﾟ",
    ]

    @Test("no line is wider than the given width, whatever the names consist of", .tags(.anyUser), arguments: 1...130)
    func everyWidth(width: Int) {
        let columns: [TextTable.Column] = [
            .init("KIND", isNumber: false, rank: 1), .init("SERVICE", isNumber: false, rank: 3, isName: true),
            .init("ACCOUNT", isNumber: false, rank: 2, isName: true), .init("BYTES", isNumber: false, rank: 0),
        ]
        let rows = zip(Self.names, Self.names.reversed()).map { ["password", $0, $1, "12"] }
        let lines = TextTable(columns: columns, rows: rows).text(width: width).split(
            separator: "\n", omittingEmptySubsequences: false
        ).dropLast()
        #expect(lines.count == rows.count + 1)
        #expect(lines.allSatisfy { DisplayWidth.of(String($0)) <= width })
        // A column is shown if it fits.
        if width >= 30 { #expect(lines.allSatisfy { $0.contains("KIND") || $0.contains("password") }) }
    }

    @Test("a name that is too wide keeps its start and its end")
    func shortened() {
        #expect(DisplayWidth.shorten("service-of-mine-10", to: 12) == "servi...e-10")
        #expect(DisplayWidth.shorten("service-of-mine-10", to: 18) == "service-of-mine-10")
        #expect(DisplayWidth.shorten("日本語日本語", to: 9) == "日...語")
        #expect(DisplayWidth.shorten("abcdefgh", to: 4) == "abcd")
        #expect(DisplayWidth.shorten("abcdefgh", to: 5) == "a...h")
        #expect(DisplayWidth.shorten("abc", to: 0) == "")
    }

    private func tables(_ line: String, widths: [Int]) throws -> [String] {
        try TerminalRunner().tables(
            line, widths: widths,
            after: #"""
                skr() { "$(type -P skr)" "$@" 2>/dev/null; }
                printf 1 | skr set service-of-mine account-of-mine --timeout 90m
                """#, environment: ["SKR_NAMESPACE": "namespace-of-mine"])
    }

    @Test("a narrow table shortens names first, then omits the least important columns one by one")
    func listedColumns() throws {
        #expect(
            try tables("skr list", widths: [60, 53, 46, 45, 39, 38, 29, 28, 18, 17]) == [
                """
                KIND      SERVICE          ACCOUNT          BYTES  TIME LEFT
                password  service-of-mine  account-of-mine  1      1h
                """, "KIND SERVICE ACCOUNT BYTES TIME LEFT", "KIND SERVICE ACCOUNT BYTES TIME LEFT",
                "KIND SERVICE ACCOUNT TIME LEFT", "KIND SERVICE ACCOUNT TIME LEFT", "SERVICE ACCOUNT TIME LEFT",
                "SERVICE ACCOUNT TIME LEFT", "SERVICE ACCOUNT", "SERVICE ACCOUNT", "SERVICE",
            ])
        #expect(
            try tables("skr list --all service-of-mine", widths: [88, 66, 65, 58, 48, 37, 28, 17]) == [
                """
                SCOPE    NAMESPACE          KIND      SERVICE          ACCOUNT          BYTES  TIME LEFT
                session  namespace-of-mine  password  service-of-mine  account-of-mine  1      1h
                """, "SCOPE NAMESPACE KIND SERVICE ACCOUNT BYTES TIME LEFT",
                "SCOPE NAMESPACE KIND SERVICE ACCOUNT TIME LEFT", "SCOPE NAMESPACE SERVICE ACCOUNT TIME LEFT",
                "SCOPE SERVICE ACCOUNT TIME LEFT", "SERVICE ACCOUNT TIME LEFT", "SERVICE ACCOUNT", "SERVICE",
            ])
    }

    @Test("names are shortened on a terminal, but never in a pipe", arguments: [12, 20, 40, 60])
    func terminal(width: Int) throws {
        let shown = try TerminalRunner().run(
            #"""
            stty cols \#(width); long=$(printf 'x%.0s' {1..200}); printf 1 | skr set $long-1 $long; printf 1 | skr set 日本語日本語日本語日本語日本語 $'a\e[31m'
            skr cached kept --timeout 5m --key $long -- true; echo START; skr list; skr list --all 2>&1; echo END; skr list $long-1 | wc -c
            """#)
        let lines = shown.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "START"))
        let end = try #require(lines.firstIndex(of: "END"))
        #expect(end - start >= 9)
        #expect(lines[(start + 1)..<end].allSatisfy { DisplayWidth.of(String($0)) <= width }, "\(shown)")
        #expect(lines[(start + 1)..<end].contains { $0.contains("...") } == (width > 12 || shown.contains("...")))
        // "password", 202 bytes for the service, 200 for the account, "1" and "-", with tabs and a newline.
        #expect(lines[end + 1] == "417")
        #expect(!shown.contains("\u{1B}"))
    }
}
