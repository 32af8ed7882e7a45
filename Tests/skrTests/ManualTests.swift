import Foundation
import Testing

@Suite("Manual pages and help")
struct ManualTests {
    private static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Every page, by its file's name, made as the build makes them.
    private func pages() throws -> [String: String] {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("skr-test-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let outcome = try CommandRunner().shell(
            #"bash "$CI"/manual "$DIRECTORY" "$(command -v skr)" && cd "$DIRECTORY" && mandoc -T lint -W style *.1"#,
            environment: [
                "CI": Self.repository.appendingPathComponent(".ci").path, "DIRECTORY": directory.path,
                "SOURCE_DATE_EPOCH": "0",
            ])
        // Whether other pages are installed here is not the pages' matter.
        let complaints = outcome.output.split(separator: "\n").filter { line in
            !line.contains("referenced manual not found") && !line.contains("makewhatis")
        }
        #expect(complaints == [])
        var pages: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            pages[name] = try String(contentsOf: directory.appendingPathComponent(name), encoding: .utf8)
        }
        return pages
    }

    @Test(
        "there is one for skr-stress, for skr and for each of its verbs, complete, and mandoc finds nothing to complain about"
    )
    func complete() throws {
        let pages = try pages()
        let verbs = try CommandRunner().run("---complete", "zsh", "skr", "").output.split(separator: "\n").dropFirst()
            .compactMap { $0.split(separator: "\t").first }.filter { $0 != "help" }
        #expect(verbs.count > 8)
        #expect(Set(pages.keys) == Set(verbs.map { "skr-\($0).1" } + ["skr.1", "skr-stress.1"]))
        for (name, page) in pages {
            for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO"] {
                #expect(page.contains(".Sh \(section)\n"), "\(name)")
            }
            #expect(page.hasPrefix(".Dd January 1, 1970\n"), "\(name)")
        }
        #expect(pages["skr-get.1"]?.contains(".Sh ENVIRONMENT\n") == true)
        #expect(pages["skr-stress.1"]?.contains(".Op Fl \\-workload Ar NAME\n") == true)
        #expect(pages["skr-get.1"]?.contains(".Xr skr-stress 1 ,\n") == true)
    }

    @Test("man shows what the command understands, with dashes and quotes that can be copied")
    func readable() throws {
        let outcome = try CommandRunner().shell("skr manual exec | mandoc -T utf8 | col -b")
        #expect(outcome.output.contains("skr exec [--env VAR=skr://...] [--env-file FILE]"))
        #expect(
            outcome.output.contains(#"skr exec --file KEY=skr://tls -- sh -c 'openssl pkey -in "$KEY" -noout'"#))
    }

    @Test("help and page say which value an option has when it is left out")
    func defaults() throws {
        for (verb, form) in [("help", "(default: 30s)"), ("manual", "By default 30s.")] {
            let words = try CommandRunner().run(verb, "lock").output.split { $0.isWhitespace }.joined(separator: " ")
            #expect(words.contains("a holder that was killed. \(form)"), "\(verb)")
        }
    }

    @Test(
        "a mistyped verb is told the nearest",
        arguments: [
            ("gte", "get"), ("st", "set"), ("sesion", "session"), ("lst", "list"), ("dele", "delete"), ("exe", "exec"),
            ("Get", "get"),
        ]
    )
    func nearest(typed: String, meant: String) throws {
        for words in [[typed, "api"], ["help", typed]] {
            let outcome = try CommandRunner().run(words, input: Data())
            #expect(outcome.exitCode == 64 && outcome.output.isEmpty)
            #expect(
                outcome.errors.hasPrefix("skr: error: no such verb: \(typed)\nskr: hint: did you mean '\(meant)'? "))
        }
        #expect(try CommandRunner().run("xyzzy").errors.hasSuffix("skr: hint: 'skr help' lists the verbs\n"))
    }
}
