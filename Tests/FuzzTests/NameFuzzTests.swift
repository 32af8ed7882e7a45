import CredentialHelpers
import Foundation
import Keyutils
import SecretText
import SessionKeyring
import TestSupport
import Testing

@Suite("Fuzzing: names that are equal as characters", .tags(.long))
struct NameFuzzTests {
    private enum Verb: String {
        case get, store, erase
    }

    /// A helper's way to a secret.
    private struct Way {
        let title: String
        /// The item that the test itself stores and deletes, for a client that can't.
        var item: ((_ name: String) -> ItemIdentity)?
        /// Whether names that differ only in case are one name.
        var ignoresCase = false
        let ask: (CredentialHelper, Verb, _ name: String, _ secret: String) throws -> HelperAnswer
    }

    @Test("no helper takes a name for another that is equal as characters, or but for its case")
    func helpers() throws {
        let ways = Self.storing + Self.reading + (try Self.tokens())
        Fuzzer.forEach("names in helpers") { random in
            let way = ways[random.below(ways.count)]
            let pair = NamePair(using: &random, isCase: way.ignoresCase ? false : nil)
            do {
                return try Self.mixUp(pair, way).map { "\(way.title): \($0)" }
            } catch {
                return "\(way.title): \(pair): \(error)"
            }
        }
    }

    private static func mixUp(_ pair: NamePair, _ way: Way) throws -> String? {
        let items = FuzzItems()
        let helper = CredentialHelper(items: items, clock: { 1_790_000_000 })
        // AWS's credentials, and a token for the others.
        let payload = { (secret: String) in #"{"AccessKeyId":"A","SecretAccessKey":"\#(secret)","token":"\#(secret)"}"#
        }
        return try pair.mixUp(
            set: { name, secret in
                guard let item = way.item?(name) else { return _ = try way.ask(helper, .store, name, secret) }
                items.set(SecretBytes(utf8: payload(secret)), for: item, timeout: nil)
            },
            get: { name in
                // A missing item is an error for some clients.
                guard let answer = try? way.ask(helper, .get, name, "") else { return nil }
                let output = answer.output.withBytes { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
                return ["secret1", "secret2"].first { output.firstRange(of: $0) != nil }
            },
            delete: { name in
                guard let item = way.item?(name) else { return _ = try way.ask(helper, .erase, name, "") }
                _ = items.delete(item)
            })
    }

    private static func quoted(_ text: String) -> String {
        (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private static func git(_ title: String, ignoresCase: Bool = false, _ lines: @escaping (String) -> String) -> Way {
        Way(title: title, ignoresCase: ignoresCase) { helper, verb, name, secret in
            let password = secret.isEmpty ? "" : "password=\(secret)\n"
            let request = Array("protocol=https\n\(lines(name))\n\(password)\n".utf8)
            return try helper.git(verb.rawValue, request: request.span.bytes)
        }
    }

    private static var storing: [Way] {
        [
            git("git's user") { "host=h\nusername=\($0)" }, git("git's path") { "host=h\nusername=u\npath=\($0)" },
            git("git's host", ignoresCase: true) { "host=\($0)\nusername=u" },
            Way(title: "docker") { helper, verb, name, secret in
                let login = #"{"ServerURL":\#(quoted("r.io/\(name)")),"Username":"u","Secret":"\#(secret)"}"#
                let request = Array((verb == .store ? login : "r.io/\(name)").utf8)
                return try helper.docker(verb.rawValue, request: request.span.bytes, version: "1")
            },
            Way(title: "cargo") { helper, verb, name, secret in
                let kind = ["get": "get", "store": "login", "erase": "logout"][verb.rawValue] ?? ""
                let registry = #"{"index-url":\#(quoted("sparse+https://h/\(name)/")),"name":"n"}"#
                let request = Array(
                    #"{"v":1,"registry":\#(registry),"kind":"\#(kind)","token":"\#(secret)","args":[]}"#.utf8)
                return try helper.cargo(request.span.bytes)
            },
            Way(title: "terraform") { helper, verb, name, secret in
                let request = Array(#"{"token":"\#(secret)"}"#.utf8)
                let word = verb == .erase ? "forget" : verb.rawValue
                return try helper.terraform(word, host: name, request: request.span.bytes)
            },
            Way(title: "vault's address") { helper, verb, name, secret in
                try helper.vault(verb.rawValue, server: "https://\(name)", request: Array(secret.utf8).span.bytes)
            },
            Way(title: "vault's namespace") { helper, verb, name, secret in
                try helper.vault(
                    verb.rawValue, server: "https://h", namespace: name, request: Array(secret.utf8).span.bytes)
            },
            keyring("keyring's service") { ($0, "u") }, keyring("keyring's address") { ("https://h/\($0)", "u") },
            keyring("keyring's user") { ("s", $0) },
        ]
    }

    private static func keyring(_ title: String, _ names: @escaping (String) -> (String, String)) -> Way {
        Way(title: title) { helper, verb, name, secret in
            let (service, user) = names(name)
            switch verb {
            case .get: return try helper.keyringGet(service: service, user: user, form: .password)
            case .store:
                return try helper.keyringSet(service: service, user: user, password: Array(secret.utf8).span.bytes)
            case .erase: return try helper.keyringDelete(service: service, user: user)
            }
        }
    }

    private static var reading: [Way] {
        [
            Way(title: "ansible", item: { .password(service: $0) }) { helper, _, name, _ in try helper.ansible(id: name)
            },
            Way(title: "netrc", item: { .internet(server: "https://h/\($0)", account: "u") }) { helper, _, name, _ in
                try helper.netrc(["https://h/\(name)"])
            },
            prompt("ssh's key", "Enter passphrase for key '%': ") { .password(service: $0) },
            prompt("ssh's user", "%@h's password: ") { .password(service: "h", account: $0) },
            prompt("ssh's host", "u@%'s password: ") { .password(service: $0, account: "u") },
            prompt("sudo's user", "[sudo] password for %: ") { .password(service: "sudo", account: $0) },
            prompt("git's prompt", "Password for 'https://u@h/%': ") {
                .internet(server: "https://h/\($0)", account: "u")
            },
        ]
    }

    private static func prompt(_ title: String, _ text: String, _ item: @escaping (String) -> ItemIdentity) -> Way {
        Way(title: title, item: item) { helper, _, name, _ in
            try helper.askpass(AskpassPrompt(text.replacing("%", with: name)))
        }
    }

    private static func tokens() throws -> [Way] {
        let place = try #require(WebAddress("https://h"))
        let object = try #require(HeadersObject(header: "Authorization", scheme: nil))
        func way(_ title: String, _ format: some TokenFormat) -> Way {
            Way(title: title, item: { .password(service: $0) }) { helper, _, name, _ in
                try helper.answer(name, account: nil, in: format)
            }
        }
        return [
            way("npm", NpmAuthorization()), way("go", GoHeaders(for: place)), way("headers", object),
            way("aws", AWSCredentials()), way("google", try GoogleToken(type: nil)),
            way("kubernetes", try ExecCredential(asked: [UInt8]().span.bytes)),
            Way(title: "an account", item: { .password(service: "s", account: $0) }) { helper, _, name, _ in
                try helper.answer("s", account: name, in: AWSCredentials())
            },
        ]
    }
}
