import CommandSupport
import TestSupport
import Testing

import Threads
@testable import skr

@Suite("Fuzzing: command lines", .tags(.long))
struct CommandLineFuzzTests {
    private static let verbs = ["get", "set", "delete", "exec", "cached"]
    private static let words = [
        "api", "me", "", "-", "--", "--new", "--raw", "--allow-empty", "--timeout", "8h", "1h30m", "0", "90", "x",
        "--scope",
        "user", "session", "persistent", "--namespace", "n", "--field", "a.b", "--timeout=5", "--env", "A=skr://api",
        "B=skr://d/e?field=f", "--env-file", ".env", "--file", "--key", "--refresh-before", "--force",
        "--cache-failures",
        "--stale-while-refreshing", "--timeout-from-json", ".e", "--forget", "--scope=user", "CMD", "-t", "-n",
        "-e", "--inherited", "--help", "never",
    ]

    private func line(_ random: inout Choices) -> [String] {
        var line = [Self.verbs.randomElement(using: &random) ?? "get"]
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let word = Self.words.randomElement(using: &random) ?? ""
            switch Int.random(in: 0..<6, using: &random) {
            case 0: line.append(Fuzzer.text(&random, of: ["a", "skr://", "A="]))
            case 1: line.append(word + Fuzzer.text(&random, longest: 1))
            case 2: line.append(Fuzzer.text(&random, longest: 0) + word)
            default: line.append(word)
            }
        }
        if line[0] == "exec" || line[0] == "cached" { line += ["--", Fuzzer.text(&random, of: ["x"])] }
        // Words in C can't contain a NUL.
        return line.map { $0.replacing("\0", with: "") }
    }

    /// The options and words of a line, read from left to right in the way of every textbook.
    private func model(_ arguments: [Argument], _ words: [String]) -> [String: [String]]? {
        var given: [String: [String]] = [:]
        var names: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            let bytes = Array(word.utf8)
            guard bytes.first == UInt8(ascii: "-"), bytes.count > 1 else {
                names.append(word)
                continue
            }
            let sign = bytes.firstIndex(of: UInt8(ascii: "="))
            let name = String(decoding: bytes[..<(sign ?? bytes.endIndex)], as: UTF8.self)
            var joined = sign.map { String(decoding: bytes[($0 + 1)...], as: UTF8.self) }
            var option = arguments.first { $0.kind != .word && $0.name.utf8.elementsEqual(name.utf8) }
            if option == nil, bytes[1] != UInt8(ascii: "-") {
                option = arguments.first { !$0.short.isEmpty && word.utf8.starts(with: $0.short.utf8) }
                let end = bytes.dropFirst(2)
                joined =
                    end.isEmpty
                    ? nil : String(decoding: end.first == UInt8(ascii: "=") ? end.dropFirst() : end, as: UTF8.self)
            }
            guard let option else { return nil }
            if option.kind == .flag {
                guard joined == nil else { return nil }
                given[option.name, default: []].append("")
            } else if let value = joined ?? rest.first {
                if joined == nil {
                    guard value.utf8.first != UInt8(ascii: "-") || value.utf8.count == 1 else { return nil }
                    rest.removeFirst()
                }
                given[option.name, default: []].append(value)
            } else {
                return nil
            }
        }
        for word in arguments where word.kind == .word {
            if names.isEmpty, word.isRequired { return nil }
            let taken = word.isRepeating ? names.count : min(1, names.count)
            given[word.name] = Array(names.prefix(taken))
            names.removeFirst(taken)
        }
        return names.isEmpty ? given : nil
    }

    @Test("a verb reads the same options and words as a parser from left to right")
    func readings() {
        var (count, accepted) = (0, 0)
        // In a smaller sample, the share of accepted lines varies too much.
        Fuzzer.forEach("command lines", share: 4, atLeast: 2_000) { random in
            count += 1
            var line = line(&random)
            line[0] = Self.ordinaryVerbs.randomElement(using: &random) ?? "get"
            if let end = line.firstIndex(where: { $0.utf8.elementsEqual("--".utf8) }) { line.removeSubrange(end...) }
            guard line.count > 0 else { return nil }
            let call = VerbCall(of: RootVerb.self) { $0 == 0 ? line[0] : nil }
            let words = Array(line.dropFirst())
            let arguments = call.words().arguments ?? []
            var read = call.words(words)
            // A verb refuses values that it doesn't know, and a missing command, after it has read them.
            var refusal: String?
            do throws(CommandError) {
                try read.check()
            } catch {
                refusal = error.message
            }
            let given = Dictionary(uniqueKeysWithValues: (read.arguments ?? []).map { ($0.name, $0.given) })
            let expected = model(arguments, words)
            if let refusal {
                // Only values can be wrong in a line that the model accepts.
                let isOfValue = ["is not a", "no such", "one word", "unknown option '-"].contains {
                    refusal.contains($0)
                }
                return expected == nil || isOfValue ? nil : "refused: \(line): \(refusal)"
            }
            accepted += 1
            guard let expected else { return "accepted, but wrong: \(line)" }
            let isSame = arguments.allSatisfy { argument in
                let (left, right) = (given[argument.name] ?? [], expected[argument.name] ?? [])
                return argument.kind == .command
                    || left.count == right.count
                        && zip(left, right).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
            }
            return isSame ? nil : "\(line): \(given) and \(expected)"
        }
        #expect(accepted * 10 >= count)
    }

    private static let ordinaryVerbs = [
        "get", "set", "delete", "cached", "list", "expire", "clear", "env", "inject", "source", "doctor", "session",
    ]

    @Test("a refusal is one line that is safe to show")
    func refusals() {
        Fuzzer.forEach("refusals", share: 40) { random in
            var line = line(&random)
            line[0] =
                ["get", "list", "expire", "clear", "inject", "lock", "session", "doctor", "\u{301}"]
                .randomElement(using: &random) ?? "get"
            let call = VerbCall(of: RootVerb.self) { $0 < line.count ? line[$0] : nil }
            let words = Array(line.dropFirst(call.depth))
            do throws(CommandError) {
                if words.contains(where: { ["--help", "-h"].contains($0) }) { return nil }
                _ = try call.read(CommandLineWords(leaking: words))
                return nil
            } catch {
                let isOneLine = !Display.plain(error.message).contains("\n") && error.message.utf8.count < 1_000
                return isOneLine && error.hint != nil && error.exitCode == .usage ? nil : "\(line): \(error)"
            }
        }
    }

    @Test("a duration is the sum of its parts")
    func durations() {
        Fuzzer(
            "durations", samples: ["90", "90s", "15m", "8h", "2d", "1h30m", "1d2h3m4s"], tokens: ["s", "m", "h", "d"]
        )
        .run { input, _ in
            guard let text = String(validating: input, as: UTF8.self), let duration = DurationText.parse(text) else {
                return nil
            }
            let units: [Character: Int64] = ["d": 86_400, "h": 3_600, "m": 60, "s": 1]
            let parts = text.matches(of: #/([0-9]+)([dhms]?)/#)
            let seconds = parts.reduce(Int64(0)) { sum, part in
                sum + (Int64(part.1) ?? 0) * (part.2.first.flatMap { units[$0] } ?? 1)
            }
            let isWhole = parts.map { String($0.0) }.joined().utf8.elementsEqual(text.utf8)
            return isWhole && duration == .seconds(seconds) ? nil : "read as \(duration)"
        }
    }
}
