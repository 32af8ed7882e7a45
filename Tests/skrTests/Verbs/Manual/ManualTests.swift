import CommandSupport
import Foundation
import TestSupport
import Testing

@Suite("Manual pages and help", .serialized, .tags(.anyUser))
struct ManualTests {
    private static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../..").standardized

    private struct Pages {
        /// Every page, by its file's name.
        var texts: [String: String] = [:]
        let complaints: [Substring]
    }

    /// All pages, made in the same way as in the build.
    ///
    /// The tests of the suite are serialized, because they would all wait for the pages.
    private static let pages = Result { try makePages() }

    private static func makePages() throws -> Pages {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("skr-test-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let outcome = try CommandRunner().shell(
            #"bash "$CI"/manual "$DIRECTORY" "$(command -v skr)" && cd "$DIRECTORY" && mandoc -T lint -W style man1/*"#,
            environment: [
                "CI": repository.appendingPathComponent(".ci").path, "DIRECTORY": directory.path,
                "SOURCE_DATE_EPOCH": "0",
            ])
        // The result must not depend on which other pages are installed here.
        var pages = Pages(
            complaints: outcome.output.split(separator: "\n").filter { line in
                !line.contains("referenced manual not found") && !line.contains("makewhatis")
            })
        for section in ["man1", "man7"] {
            let folder = directory.appendingPathComponent(section)
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                pages.texts[name] = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            }
        }
        return pages
    }

    @Test(
        "skr, skr-secrets, skr-stress and each verb have a complete page, and mandoc does not complain"
    )
    func complete() throws {
        #expect(try Self.pages.get().complaints == [])
        let pages = try Self.pages.get().texts
        var verbs = try verbs(behind: [])
        #expect(verbs.count > 8)
        verbs += try self.verbs(behind: ["helper"]).map { "helper-\($0)" }
        #expect(verbs.count > 24)
        verbs += try self.verbs(behind: ["source"]).map { "source-\($0)" }
        let commands = pages.filter { $0.key.hasSuffix(".1") }
        #expect(Set(commands.keys) == Set(verbs.map { "skr-\($0).1" } + ["skr.1", "skr-secrets.1", "skr-stress.1"]))
        for (name, page) in commands {
            let isWithGuide = Self.withGuide.contains(name)
            for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES"] {
                #expect(page.contains(isWithGuide ? ".SH \"\(section)\"\n" : ".Sh \(section)\n"), "\(name)")
            }
            let date = isWithGuide ? #" "1" "January 1, 1970" "skr"# : ".Dd January 1, 1970\n"
            #expect(page.prefix(200).contains(date), "\(name)")
        }
        #expect(pages["skr-get.1"]?.contains(".Sh ENVIRONMENT\n") == true)
        #expect(pages["skr-stress.1"]?.contains(".Op Fl \\-workload Ar WORKLOAD\n") == true)
        #expect(pages["skr-secrets.1"]?.contains("[\\fB\\-\\-timeout\\fR\\ \\fIDURATION|never\\fR]\n") == true)
        #expect(pages["skr-secrets.1"]?.contains("[\\fB\\--\\fR\\ \\fICMD\\ ...\\fR]\n") == true)
        #expect(pages["skr-get.1"]?.contains(".Xr skr-set 1 ,\n") == true)
        for name in ["skr.1", "skr-session.1"] {
            #expect(pages[name]?.contains(".Xr skr-secrets 1") == true, "\(name)")
        }
    }

    /// The pages of commands to which `.ci/guides` adds a guide; mandoc translates them from mdoc to man.
    private static let withGuide = ["skr-source.1", "skr-login.1", "skr-helper.1", "skr-secrets.1"]

    @Test("the page of a command that has a guide contains it, before the references")
    func guides() throws {
        let pages = try Self.pages.get().texts
        let topics = ["Lines to copy", "Servers", "How secrets are stored", "What is stored"]
        for (name, topic) in zip(Self.withGuide, topics) {
            let page = try #require(pages[name])
            let parts = [".SH \"EXAMPLES\"\n", ".SH GUIDE\n", ".SS \(topic)\n", ".SH \"SEE ALSO\"\n"]
            let places = try parts.map { try #require(page.range(of: $0), "\(name): \($0)").lowerBound }
            #expect(places == places.sorted(), "\(name)")
        }
    }

    /// Returns the verbs that completion offers after these words.
    private func verbs(behind words: [String]) throws -> [String] {
        try CommandRunner().candidates(words + [""]).map(String.init).filter { $0 != "help" }
    }

    @Test("the page of skr has every exit code, and every variable that the code names")
    func codesAndVariables() throws {
        let page = try CommandRunner().run("manual").output
        for code in ExitCode.allCases { #expect(page.contains(".It \(code.rawValue)\n"), "\(code)") }
        let folder = Self.repository.appendingPathComponent("Sources")
        let files = try ["skr", "CommandSupport", "CEarlyGet"].flatMap { target in
            try FileManager.default.subpathsOfDirectory(atPath: folder.appendingPathComponent(target).path)
                .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".c") }.map { "\(target)/\($0)" }
        }
        let code = try files.map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }.joined()
        let names = Set(code.matches(of: /"((?:SKR|NO)_[A-Z_]+)"/).map { String($0.1) })
        #expect(names.count >= 9)
        for name in names.union(["TERM", "COLUMNS", "SHELL", "HOME"]) {
            #expect(page.contains(try Regex(#"\.It Ev (.* , )?\#(name)\b"#)), "\(name)")
        }
    }

    @Test("a page refers only to pages of its package, and that of skr names all of section 7")
    func references() throws {
        let pages = try Self.pages.get().texts
        let guides = Set(pages.keys.filter { $0.hasSuffix(".7") })
        #expect(guides.count == 5)
        for (name, page) in pages {
            let macros = page.matches(of: /\.Xr ([a-z-]+) ([0-9])/).map { "\($0.1).\($0.2)" }
            let words = page.matches(of: /\\f\[B\](skr[a-z\\-]*)\\f\[R\]\(([0-9])\)/).map {
                "\($0.1.filter { $0 != "\\" }).\($0.2)"
            }
            let plain = page.matches(of: /(?m)^(skr[a-z-]*)\(([0-9])\),?$/).map { "\($0.1).\($0.2)" }
            let references = macros + words + plain
            #expect(plain.isEmpty != Self.withGuide.contains(name), "\(name)")
            #expect(references.isEmpty == (name == "skr-stress.1"), "\(name)")
            #expect(Set(references).subtracting(pages.keys) == [], "\(name)")
            #expect(!references.contains("skr-stress.1"), "\(name)")
        }
        for guide in guides {
            #expect(pages["skr.1"]?.contains(".It Xr \(guide.dropLast(2)) 7\n") == true, "\(guide)")
        }
    }

    @Test("man shows text that the command understands, with dashes and quotes that can be copied")
    func readable() throws {
        let outcome = try CommandRunner().shell("skr manual exec | mandoc -T utf8 | col -b")
        #expect(outcome.output.contains("skr exec [--env VAR[=skr://...]] [--env-file FILE]"))
        #expect(
            outcome.output.contains(#"skr exec --file KEY=skr://tls -- sh -c 'openssl pkey -in "$KEY" -noout'"#))
    }

    @Test("a page has the date from --date, or today's date")
    func date() throws {
        let outcome = try CommandRunner().shell(
            #"""
            today() { LC_ALL=C date -u '+.Dd %B %-d, %Y'; }; before=$(today)
            skr manual get --date 'March 4, 2005' | head -n 1; line=$(skr manual get | head -n 1)
            [[ $line = "$before" || $line = "$(today)" ]] && echo today
            """#)
        #expect(outcome == .init(exitCode: 0, output: ".Dd March 4, 2005\ntoday\n", errors: ""))
    }

    @Test("help and page show the default value of an option")
    func defaults() throws {
        for (verb, form) in [("help", "By default 30s."), ("manual", "By default 30s.")] {
            let words = try CommandRunner().run(verb, "lock").output.split { $0.isWhitespace }.joined(separator: " ")
            #expect(words.contains("after its holder was killed. \(form)"), "\(verb)")
        }
    }

    @Test(
        "manual --list names each page, and an unknown page is an error with the nearest name",
        arguments: [("gte", "verb: gte"), ("helper gti", "client: gti")])
    func list(words: String, unknown: String) throws {
        let pages = try CommandRunner().run("manual", "--list").output.split(
            separator: "\n", omittingEmptySubsequences: false)
        for page in ["", "get", "helper", "helper git"] { #expect(pages.contains { $0 == page }, "\(page)") }
        let outcome = try CommandRunner().run(["manual"] + words.split(separator: " ").map(String.init), input: Data())
        #expect(outcome.exitCode == 64 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("skr: error: no such \(unknown)\nskr: hint: did you mean 'g"))
    }
}
