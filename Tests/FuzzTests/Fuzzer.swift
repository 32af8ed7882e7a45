import Foundation
import Keyutils
import TestSupport
import Testing
import Threads

/// Inputs for a parser: good samples with random changes.
///
/// Each input depends only on the seed and its number. `SKR_FUZZ=1000000` sets the number of inputs. `SKR_FUZZ_SEED`
/// replays a run, and `SKR_FUZZ_ONLY` replays a single input of it, with the number that a failure reports.
struct Fuzzer {
    static let seed = variable("SKR_FUZZ_SEED").flatMap { UInt64($0) } ?? UInt64.random(in: 1...UInt64.max)
    static let count = variable("SKR_FUZZ").flatMap { Int($0) } ?? 20_000

    let name: String
    let samples: [[UInt8]]
    /// Texts that mean something to the parser, and so are inserted more often than other bytes.
    let tokens: [[UInt8]]

    init(_ name: String, samples: [String], tokens: [String]) {
        self.name = name
        self.samples = samples.map { Array($0.utf8) }
        self.tokens = (tokens + Self.oddities).map { Array($0.utf8) } + Self.notText
    }

    /// Calls `check` with each input.
    ///
    /// `check` returns the problem with the input, or `nil`.
    func run(_ check: ([UInt8], inout Choices) throws -> String?) {
        Self.forEach(name) { random in
            let input = mutated(&random)
            do {
                return try check(input, &random).map { "\($0): \(Self.show(input))" }
            } catch {
                return "\(error): \(Self.show(input))"
            }
        }
    }

    /// Calls `check` once for each input, with its own random numbers.
    static func forEach(
        _ name: String, share: Int = 1, atLeast least: Int = 0, _ check: (inout Choices) -> String?
    ) {
        let count = max(count / share, least)
        print("fuzzing \(name): seed \(seed), \(count) inputs")
        let only = variable("SKR_FUZZ_ONLY").flatMap { Int($0) }
        for number in only.map({ $0..<($0 + 1) }) ?? 0..<count {
            var random = Choices(seed: seed, stream: UInt64(number))
            if let problem = check(&random) {
                Issue.record("input \(number) of seed \(seed): \(problem)")
                return
            }
        }
    }

    static func show(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self).debugDescription }

    private static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}

extension SecretBytes {
    var array: [UInt8] { withBytes { $0.withUnsafeBytes { Array($0) } } }
}

extension Fuzzer {
    /// Letters in several forms, characters that are invisible or change the direction, and invalid characters.
    static let oddities = [
        "\u{E9}", "e\u{301}", "\u{301}", "o\u{308}", "\u{AC00}", "\u{1100}\u{1161}", "\u{200D}", "\u{200B}", "\u{202E}",
        "\u{2066}", "\u{FEFF}", "\u{FFFD}", "\u{FFFE}", "\u{85}", "\u{9B}", "\u{2028}", "\u{A0}", "\u{1B}[31m",
        "\u{7F}",
        "\u{1F468}\u{200D}\u{1F469}", "\u{1F1E9}\u{1F1EA}", "\u{E0041}", "\u{10FFFF}", "\u{FB01}", "\u{130}",
        "\u{1E9E}",
        "\0", "\n", "\r", "\t", " ", "%", "\\", "\"", "'", "-", "--", "=", "/", ":", ";", ".", "{", "}", "0", "9",
        "18446744073709551616",
        "-9223372036854775808", "4294967296",
    ]
    /// Incomplete characters, overlong encodings, and bytes that are not characters.
    private static let notText: [[UInt8]] = [
        [0xFF], [0x80], [0xC3], [0xC0, 0xAF], [0xE2, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x9F],
    ]

    func mutated(_ random: inout Choices) -> [UInt8] {
        var bytes = samples.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 0...6, using: &random) { mutate(&bytes, &random) }
        return bytes
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout Choices) {
        let place = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, place + Int.random(in: 0...8, using: &random))
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1, 2: bytes.insert(contentsOf: tokens.randomElement(using: &random) ?? [], at: place)
        case 3: bytes.replaceSubrange(place..<end, with: tokens.randomElement(using: &random) ?? [])
        case 4: bytes.removeSubrange(place..<end)
        case 5: bytes.insert(contentsOf: bytes[place..<end], at: place)
        case 6: if place < bytes.count { bytes[place] = UInt8.random(in: 0...255, using: &random) }
        default:
            let other = samples.randomElement(using: &random) ?? []
            bytes = Array(bytes[..<place]) + other[min(place, other.count)...]
        }
    }

    /// Returns a text of tokens and oddities.
    static func text(_ random: inout Choices, of tokens: [String] = [], longest: Int = 4) -> String {
        (0...Int.random(in: 0...longest, using: &random)).map { _ in
            (Bool.random(using: &random) ? tokens.randomElement(using: &random) : nil)
                ?? oddities.randomElement(using: &random) ?? ""
        }.joined()
    }
}
