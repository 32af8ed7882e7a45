import CommandSupport
import TestSupport
import Testing

import Threads
import skr

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

    @Test("the argument parser parses every plain call to the same result, byte for byte")
    func plainCalls() {
        var taken = 0
        Fuzzer.forEach("command lines") { random in
            let line = line(&random)
            let words = CommandLineWords(leaking: line)
            guard let plain = Skr.plain(words) else { return nil }
            taken += 1
            // The argument parser is slow, especially in a debug build.
            guard taken % 8 == 0 || line.joined().utf8.contains(where: { $0 >= 0x80 }) && taken % 2 == 0 else {
                return nil
            }
            do throws(CommandError) {
                guard let parsed = try Skr.parse(words) else { return "the parser prints an answer itself: \(line)" }
                // Swift considers strings in different Unicode forms equal, so this compares bytes.
                return String(reflecting: plain).utf8.elementsEqual(String(reflecting: parsed).utf8)
                    ? nil : "\(line): \(plain) and \(parsed)"
            } catch {
                return "\(line): the parser refuses it: \(error.message)"
            }
        }
        #expect(taken * 20 > Fuzzer.count)
    }

    @Test("a refusal by the argument parser is one line that is safe to show")
    func refusals() {
        Fuzzer.forEach("refusals", share: 40) { random in
            var line = line(&random)
            line[0] =
                ["get", "list", "expire", "clear", "inject", "lock", "session", "doctor", "\u{301}"]
                .randomElement(using: &random) ?? "get"
            do throws(CommandError) {
                _ = try Skr.parse(CommandLineWords(leaking: line))
                return nil
            } catch {
                let text = Display.plain(error.message) + Display.plain(error.hint ?? "")
                let isPlain = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
                return isPlain && !error.message.isEmpty && error.exitCode == .usage ? nil : "\(line): \(error)"
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
