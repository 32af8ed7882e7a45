import CommandSupport
import TestSupport
import Testing

import skr

@Suite("Fuzzing: references, templates and .env files", .tags(.long))
struct ReferenceFuzzTests {
    private static let references = [
        "skr://api", "skr://db/alice", "skr://db/alice?field=a.0.b", "skr://a%2Fb/c%3F%23%25%20", "skr://%c3%A9",
        "skr://é",
    ]
    private static let tokens = [
        "skr://", "skr:", "/", "?field=", "%2F", "%", "%C3", "#", "&", "?", "{{", "}}", "{{ skr://", " }}", "{{- ",
        " -}}",
        " ", "\n",
    ]

    @Test("a reference has no empty parts, and its description is parsed as the same reference")
    func references() {
        Fuzzer("references", samples: Self.references, tokens: Self.tokens).run { input, _ in
            guard let reference = try? SecretReference(parsing: input[...]) else { return nil }
            let parts = [reference.service, reference.account ?? "x", reference.field ?? "x"]
            if parts.contains(where: \.isEmpty) { return "an empty part" }
            let again = try SecretReference(parsing: reference.description)
            let isSame =
                again.service.utf8.elementsEqual(reference.service.utf8)
                && (again.account ?? "").utf8.elementsEqual((reference.account ?? "").utf8)
                && (again.field ?? "").utf8.elementsEqual((reference.field ?? "").utf8) && again == reference
            let isPlain = reference.description.utf8.allSatisfy { (0x21..<0x7F).contains($0) }
            return isSame && isPlain ? nil : "its description is \(reference)"
        }
    }

    @Test("a template keeps its text byte for byte, with nothing but references in between")
    func templates() {
        let samples =
            Self.references.map { "a{{ \($0) }}b\n{{\($0)}}{{{{ name }}" }
            + ["", "{", "{{{ skr://a }}}", "x\r\n{{", "a \n\t{{- skr://a -}}\r\n b"]
        Fuzzer("templates", samples: samples, tokens: Self.tokens).run { input, _ in
            guard let template = try? Template(parsing: input, name: "t") else { return nil }
            var position = 0
            var references: [SecretReference] = []
            for (index, piece) in template.pieces.enumerated() {
                switch piece {
                case .text(let range):
                    guard range.lowerBound >= position, range.upperBound <= input.count, !range.isEmpty else {
                        return "a wrong text range: \(range)"
                    }
                    if index > 0, !Self.isReference(input[position..<range.lowerBound]) {
                        return "no reference before \(range)"
                    }
                    if index == 0, range.lowerBound != 0 { return "the beginning is lost" }
                    position = range.upperBound
                case .reference(let reference): references.append(reference)
                }
            }
            let isLast = if case .text? = template.pieces.last { true } else { input.isEmpty }
            if references.isEmpty, !isLast { return "the end is lost" }
            // If each reference is written again, the result is the same template.
            let again = Self.written(template, input)
            return try Template(parsing: again, name: "t").pieces.references == references ? nil : "not the same again"
        }
    }

    /// Whether these bytes are something in braces, after white space only if `{{-` removes it, and before white space
    /// only if `-}}` does.
    private static func isReference(_ gap: ArraySlice<UInt8>) -> Bool {
        let isSpace = { (byte: UInt8) in " \t\r\n".utf8.contains(byte) }
        let opened = gap.drop(while: isSpace)
        let closed = Array(gap.reversed().drop(while: isSpace))
        return opened.starts(with: Array((opened.count < gap.count ? "{{-" : "{{").utf8))
            && closed.starts(with: Array((closed.count < gap.count ? "}}-" : "}}").utf8))
    }

    private static func written(_ template: Template, _ input: [UInt8]) -> [UInt8] {
        template.pieces.flatMap { piece in
            switch piece {
            case .text(let range): Array(input[range])
            case .reference(let reference): Array("{{ \(reference) }}".utf8)
            }
        }
    }

    @Test(".env files have valid names, hide values in errors, and keep quoted values byte for byte")
    func environmentFiles() {
        let samples = [
            "A=1\nB=hunter2\r\n", "export A='hunter2' # c\n", #"A="a\n\t\"\\\$x""#, "A=skr://api\nB= x y # c",
            "\u{FEFF}_a9=",
            "# hunter2\n\nA='skr://db/al?field=x'\n",
        ]
        let tokens = Self.tokens + ["export ", "A=", "#", " #", "'", "\"", "\\n", "\\", "hunter2", "\n"]
        Fuzzer(".env files", samples: samples, tokens: tokens).run { input, random in
            do throws(CommandError) {
                for variable in try EnvironmentFile(parsing: input, path: "f").variables {
                    guard variable.name.wholeMatch(of: #/[A-Za-z_][A-Za-z0-9_]*/#) != nil else {
                        return "an invalid name: \(variable.name)"
                    }
                    if case .plain(let value) = variable.value, value.contains(0) { return "a NUL in a value" }
                }
            } catch {
                guard error.exitCode == .data, error.message.hasPrefix("f:") else { return "\(error)" }
                if (error.message + (error.hint ?? "")).contains("hunter2") { return "a value is shown: \(error)" }
            }
            let value = input.filter { $0 != 0 && $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "'") }
            guard !SecretReference.begins(value) else { return nil }
            let file = Array("A='".utf8) + value + Array("'".utf8)
            let variables = try EnvironmentFile(parsing: file, path: "f").variables
            return variables == [EnvironmentVariable(name: "A", value: .plain(value))]
                ? nil : "in quotes, it is read as \(variables)"
        }
    }
}

extension [Template.Piece] {
    fileprivate var references: [SecretReference] {
        compactMap { if case .reference(let reference) = $0 { reference } else { nil } }
    }
}
