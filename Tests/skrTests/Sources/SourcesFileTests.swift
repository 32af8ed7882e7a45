import CommandSupport
import SessionKeyring
import Testing

@testable import skr

@Suite("The sources file")
struct SourcesFileTests {
    private func source(
        _ text: String, _ service: String = "a", _ account: String = "", scope: Place.Scope = .session,
        namespace: String = "default"
    ) throws -> Source? {
        try SourcesFile(Array("\(text)\n".utf8), path: "f").source(
            of: .password(service: service, account: account), scope: scope, namespace: namespace)
    }

    @Test("a line has an item, options and a command")
    func complete() throws {
        let line =
            #"'a b' "c d" --timeout=1h --timeout-from-json x.y --end-early 5m --cache-failures 0 --limit 10s "#
            + "--field p.q --scope user --namespace n -- cmd --timeout 'x  y'"
        let source = try #require(try source("\n# x\n\(line)", "a b", "c d", scope: .user, namespace: "n"))
        #expect(source.line == 3)
        #expect(source.timeout == .after(.seconds(3_600)))
        #expect(source.lifetimePath == "x.y")
        #expect(source.endEarly == .seconds(300))
        #expect(source.failureTimeout == .zero)
        #expect(source.limit == .seconds(10))
        #expect(source.part == .field("p.q"))
        #expect(source.command == ["cmd", "--timeout", "x  y"])
    }

    @Test("the refresh of a token can take 100 seconds, and any other command 120")
    func usualLimits() throws {
        #expect(try source("a --oauth https://id.example.com --client-id c")?.limit == .seconds(100))
        #expect(try source("a --timeout 1m -- c")?.limit == .seconds(120))
    }

    @Test("a line can have the short options -t and -n")
    func shortOptions() throws {
        let line = "a -t 1m -n two -- c -n x"
        #expect(try source(line) == nil)
        let found = try #require(try source(line, namespace: "two"))
        #expect(found.timeout == .after(.seconds(60)) && found.command == ["c", "-n", "x"])
        for (namespace, count) in [("default", 0), ("two", 1)] {
            let file = SourcesFile(Array("\(line)\n".utf8), path: "f")
            #expect(try file.items(scope: .session, namespace: namespace).count == count)
        }
        let error = #expect(throws: CommandError.self) { try source("a -x -- c") }
        #expect(error?.message == "f:1: a source has no option '-x'")
    }

    @Test("without options, a failure is remembered for 5 s, and the command can run for 2 minutes")
    func defaults() throws {
        let source = try #require(try source("a --timeout never -- c"))
        #expect(source.timeout == .never)
        #expect(source.failureTimeout == .seconds(5))
        #expect(source.limit == .seconds(120))
        #expect(source.part == .text)
    }

    @Test("other processes wait for 10 s longer than the command can run")
    func waitLimit() throws {
        let source = try #require(try source("a --timeout 1m --limit 1s -- c"))
        #expect(try source.request(in: Place()).waitLimit == .seconds(11))
    }

    @Test(
        "the part of the output",
        arguments: [("--raw", Source.Part.raw), ("--first-line", .firstLine), ("--field x", .field("x"))])
    func parts(option: String, part: Source.Part) throws {
        #expect(try source("a --timeout 1m \(option) -- c")?.part == part)
    }

    @Test(
        "a bad line is an error for its item only, with its number",
        arguments: [
            "--timeout 1m", "--timeout 1m --", "-- c", "--timeout 0 -- c", "--timeout x -- c", "--timeout -- c",
            "--timeout 1m --timeout 1m -- c", "--ttl 1m -- c", "--timeout 1m b c -- c", "--timeout 1m --raw=1 -- c",
            "--timeout 1m --raw --field x -- c", "--timeout 1m --first-line --raw -- c",
            "--timeout-from-json a..b -- c",
            "--timeout never --end-early 1m -- c", "--timeout 1m --end-early 1m -- c", "--timeout 1m --limit 0 -- c",
            "--timeout 1m --scope x -- c", "--timeout 1m -- A=1 c", "--timeout 1m -- c | d", "--timeout 1m -- 'c",
            "b c --timeout 1m -- c", "--timeout 5000000000 -- c", "--timeout 1m --stale-while-refreshing -- c",
        ])
    func bad(rest: String) throws {
        let text = "ok --timeout 1m -- c\na \(rest)\n"
        let account = rest.hasPrefix("b") ? "b" : ""
        let error = #expect(throws: CommandError.self) { try source(text, "a", account) }
        #expect(error?.exitCode == .data)
        #expect(error?.message.hasPrefix("f:2: ") == true, "\(error?.message ?? "")")
        #expect(error?.hint != nil)
        #expect(try source(text, "ok") != nil)
        #expect(try source("a other --timeout 1m -- c\n" + text, "a", "other") != nil)
    }

    @Test(
        "if the item of a line can't be read, each lookup is an error",
        arguments: ["'a --timeout 1m -- c", "*", "-- c", "'' -- c"])
    func unclear(line: String) throws {
        let error = #expect(throws: CommandError.self) { try source("ok --timeout 1m -- c\n\(line)\n", "ok") }
        #expect(error?.exitCode == .data)
        #expect(error?.message.hasPrefix("f:2: ") == true)
    }

    @Test("a last line without a newline, which can be half-written, is an error for its item, but not for others")
    func halfWritten() throws {
        func file(_ text: String) -> SourcesFile { SourcesFile(Array(text.utf8), path: "f") }
        func source(_ text: String, of service: String) throws -> Source? {
            try file(text).source(of: .password(service: service, account: ""), scope: .session, namespace: "default")
        }
        let text = "ok --timeout 1m -- c\na --timeout 1m -- rm -r /x"
        for end in 1...text.utf8.count where text.utf8.prefix(end).last != UInt8(ascii: "\n") {
            let begun = String(decoding: text.utf8.prefix(end), as: UTF8.self)
            let name = begun.contains("\n") ? "a" : begun.hasPrefix("ok") ? "ok" : "o"
            let error = #expect(throws: CommandError.self) { try source(begun, of: name) }
            #expect(error?.exitCode == .data)
            #expect(error?.message.contains(": the file ends within the line") == true)
            #expect(error?.hint == "if the line is complete, end it with a newline")
            if name == "a" { #expect(try source(begun, of: "ok") != nil) }
        }
        #expect(try source(text + "\n", of: "a") != nil)
        for harmless in ["", "# x", "  ", "\r"] { #expect(try source("\(text)\n\(harmless)", of: "a") != nil) }
        #expect(file(text).all().map { (try? $0.get()) == nil } == [false, true])
    }

    @Test("a word that can't be read after the item is an error for this item only")
    func thirdWord() throws {
        let text = "a --timeout 1m -- c\na b $x -- d\n'c' 'd' * -- e"
        #expect(try source(text)?.command == ["c"])
        #expect(throws: CommandError.self) { try source(text, "a", "b") }
        #expect(throws: CommandError.self) { try source(text, "c", "d") }
    }

    @Test("two lines for one item are an error, unless they are for different places")
    func duplicates() throws {
        let error = #expect(throws: CommandError.self) { try source("a --timeout 1m -- b\n\n'a' --timeout 2m -- c") }
        #expect(error?.message.contains("lines 1 and 3") == true)
        let text =
            "a --timeout 1m -- b\na --timeout 1m --scope user -- c\na --timeout 1m --namespace n -- d\na x --timeout 1m -- e"
        #expect(try source(text)?.command == ["b"])
        #expect(try source(text, scope: .user)?.command == ["c"])
        #expect(try source(text, namespace: "n")?.command == ["d"])
        #expect(try source(text, "a", "x")?.command == ["e"])
        #expect(try source(text, "a", "y")?.command == nil)
        #expect(try source(text, scope: .user, namespace: "n")?.command == nil)
    }

    @Test("the names are those of the place, each once, with those of bad lines")
    func names() throws {
        let text = "a --timeout 1m -- b\n#x\n'a' z --bad\nb --timeout 1m --scope user -- c\r\n  c d --timeout 1m -- e"
        let file = SourcesFile(Array(text.utf8), path: "f")
        func items(_ service: String?) throws -> [String] {
            try file.items(of: service, scope: .session, namespace: "default").map { "\($0.service):\($0.account)" }
        }
        #expect(try items(nil) == ["a:", "a:z", "c:d"])
        #expect(try items("a") == ["a:", "a:z"])
        #expect(try items("c") == ["c:d"])
        #expect(try items("d") == [])
    }
}
