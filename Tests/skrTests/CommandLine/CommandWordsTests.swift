import CommandSupport
import Testing

@testable import skr

@Suite("The words of a command line")
struct CommandWordsTests {
    /// All verbs, even those of verbs, with those that help doesn't show.
    static let verbs: [VerbCall] = {
        func below(_ call: VerbCall) -> [VerbCall] {
            var found = [call]
            _ = call.verb.verbs { verb in
                found += below(VerbCall(verb, names: call.names + [verb.name]))
                return false
            }
            return found
        }
        return below(VerbCall(RootVerb.self, names: ["skr"]))
    }()

    /// Returns the values that the verb takes from these words, by argument.
    private func given(_ call: VerbCall, _ words: [String]) throws -> [String: [String]] {
        let launches = call.arguments.contains { $0.kind == .command && $0.isRequired }
        var read = call.words(words, rest: launches ? CommandLineWords(leaking: ["true"]) : nil)
        try read.check()
        let arguments = try #require(read.arguments)
        return Dictionary(uniqueKeysWithValues: arguments.map { ($0.name, $0.given) })
    }

    @Test("an option means the same in each spelling, before and after the words")
    func spellings() throws {
        var count = 0
        for call in Self.verbs where !call.verb.takesText {
            let arguments = call.words().arguments ?? []
            let names = arguments.filter { $0.kind == .word && $0.isRequired }.map { _ in "word" }
            for option in arguments where option.kind == .option {
                let value = value(for: option)
                var forms = [[option.name, value], ["\(option.name)=\(value)"]]
                if !option.short.isEmpty {
                    forms += [[option.short, value], ["\(option.short)\(value)"], ["\(option.short)=\(value)"]]
                }
                let first = try given(call, forms[0] + names)
                #expect(first[option.name] == [value], "\(call.line) \(option.name)")
                for form in forms {
                    #expect(try given(call, form + names) == first && given(call, names + form) == first, "\(form)")
                }
                count += forms.count
            }
            for flag in arguments where flag.kind == .flag {
                #expect(try given(call, [flag.name] + names)[flag.name] == [""], "\(call.line) \(flag.name)")
                #expect(throws: CommandError.self) { try given(call, ["\(flag.name)=x"] + names) }
            }
        }
        #expect(count > 150)
    }

    private func value(for option: Argument) -> String {
        if case .choice(let words) = option.values { return String(words.prefix { $0 != "|" }) }
        return option.value.hasPrefix("DURATION") ? "90s" : "valu\u{E9}"
    }

    @Test("each verb declares its options before its command, and its command before its words")
    func order() throws {
        #expect(Self.verbs.count > 35)
        for call in Self.verbs {
            let arguments = try #require(call.words().arguments)
            let ranks = arguments.map { $0.kind == .word ? 2 : $0.kind == .command ? 1 : 0 }
            #expect(ranks == ranks.sorted(), "\(call.line)")
            let spellings = arguments.filter { $0.kind != .word }.flatMap(\.spellings)
            #expect(Set(spellings).count == spellings.count, "\(call.line)")
            for argument in arguments { #expect(argument.help.hasSuffix("."), "\(call.line): \(argument.help)") }
        }
    }

    @Test("an option before its verb is answered with the call, without values")
    func moved() {
        for (line, hint) in [
            ("--new set api x s3cret", "skr set --new ..."), ("--scope session list", "skr list --scope ..."),
            ("--namespace set get a", "skr get --namespace ..."), ("--timeout 5m cached x", "skr cached --timeout ..."),
            ("-n x source test a", "skr source test -n ..."), ("--password=s3cret set api", nil),
        ] {
            let words = CommandLineWords(leaking: line.split(separator: " ").map(String.init))
            let error = #expect(throws: CommandError.self) { try VerbCall(of: RootVerb.self) { _ in nil }.read(words) }
            #expect((error?.message == "options come after the verb" ? error?.hint : nil) == hint, "\(line)")
        }
    }

    @Test("a value can hold every character, and a combining mark after the '=' doesn't hide it")
    func values() throws {
        for value in ["", "=", "a=b", "\u{301}", "\u{301}x", "-x", "--new", " ", "\u{E9}", "e\u{301}"] {
            let words = try given(VerbCall(GetVerb.self, names: ["skr", "get"]), ["api", "--namespace=\(value)"])
            #expect(words["--namespace"]?.first?.utf8.elementsEqual(value.utf8) == true, "\(value)")
        }
    }

    @Test(
        "a mistake names the word and what to write",
        arguments: [
            ("get", "no SERVICE is given"), ("get a b c", "unexpected word 'c'"),
            ("get a --scope", "--scope needs a value"),
            ("get --ttl 8h", "unknown option '--ttl'"), ("get a --scope mars", "--scope: no such scope: 'mars'"),
            ("set a --new=x", "--new takes no value"), ("set a --timeout 0", "--timeout: '0' is not a duration"),
            ("set a --timeout soon", "--timeout: 'soon' is not a duration"),
            ("list --expiring x", "--expiring: 'x' is not"),
            ("get a -x", "unknown option '-x'"), ("cached c --key --force -- x", "--key needs a value"),
            ("set a -t 8 hours", "-t 8 hours: a duration is one word"), ("exec --env A=skr://a", "no command to run"),
            ("--scope user get a", "options come after the verb"),
            ("--scope session list", "options come after the verb"),
            ("--timeout 8h helper git get", "options come after the verb"),
            ("clear -namespace=work", "unknown option '-namespace'"),
            ("set -new api", "unknown option '-new'"),
            ("set a --timeout 8 hours --timeout 5m", "--timeout 8 hours: a duration is"),
            ("get a --scope mars --scope user", "--scope: no such scope: 'mars'"),
            ("get -help a", "unknown option '-help'"),
            ("cached c echo x", "unexpected word 'echo'"), ("set a b s3cret", "too many words"),
            ("set a -ps3cret", "unknown option '-p'"),
            ("get a --password=s3cret", "unknown option '--password'"), ("get a --help=x", "--help takes no value"),
            ("gte", "no such verb: gte"),
            ("helper nosuch", "no such client: nosuch"), ("list -- a b", "unexpected word 'b'"),
        ])
    func mistakes(line: String, message: String) {
        let words = line.split(separator: " ").map(String.init)
        let call = VerbCall(of: RootVerb.self) { words.indices.contains($0) ? words[$0] : nil }
        let error = #expect(throws: CommandError.self) {
            try call.read(CommandLineWords(leaking: Array(words.dropFirst(call.depth))))
        }
        #expect(
            error?.message.hasPrefix(message) == true && error?.hint != nil && error?.exitCode == .usage,
            "\(error as Any)")
    }
}
