import CredentialHelpers
import Foundation
import Keyutils
import SecretText
import SessionKeyring
import TestSupport
import Testing
import Threads

/// Items in memory.
final class FuzzItems: ItemSource {
    private let secrets: Locked<[ItemIdentity: [UInt8]]>

    /// - Parameter passwords: the secrets of services.
    init(passwords: [String: String] = [:]) {
        let items = passwords.map { (ItemIdentity.password(service: $0.key, account: ""), Array($0.value.utf8)) }
        secrets = Locked(Dictionary(uniqueKeysWithValues: items))
    }

    var isEmpty: Bool { secrets.withLock { $0.isEmpty } }

    func identities() -> [ItemIdentity] { secrets.withLock { Array($0.keys) } }

    func get(_ item: ItemIdentity) -> SecretBytes? {
        secrets.withLock { $0[item] }.map { SecretBytes(copying: $0) }
    }

    func set(_ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration?) {
        let bytes = secret.array
        secrets.withLock { $0[item] = bytes }
    }

    func delete(_ item: ItemIdentity) -> Bool { secrets.withLock { $0.removeValue(forKey: item) != nil } }
}

/// The answer of a helper.
private struct Said {
    let output: [UInt8]
    let exitCode: Int32

    init(_ answer: consuming HelperAnswer) {
        output = answer.output.array
        exitCode = answer.exitCode
    }

    /// The answer to a request with these bytes.
    init(to request: [UInt8], _ body: (RawSpan) throws -> HelperAnswer) rethrows {
        self.init(try body(request.span.bytes))
    }

    var lines: [ArraySlice<UInt8>] { output.split(separator: 10, omittingEmptySubsequences: false).dropLast() }

    /// The answer as one JSON object on one line; `nil` for anything else.
    var json: [String: Any]? {
        guard output.last == 10, output.filter({ $0 == 10 }).count == 1 else { return nil }
        return try? JSONSerialization.jsonObject(with: Data(output)) as? [String: Any]
    }

    var strings: [String: String] { FuzzTests.strings(in: output) }

    /// The token in cargo's answer.
    var cargoToken: String? {
        struct Answer: Decodable {
            struct Token: Decodable { let token: String }
            let Ok: Token
        }
        return try? JSONDecoder().decode(Answer.self, from: Data(output)).Ok.token
    }
}

/// Returns the strings of a JSON object.
///
/// `JSONSerialization` would drop a byte order mark at the beginning of a string, and after an escape.
private func strings(in object: [UInt8]) -> [String: String] {
    (try? JSONDecoder().decode([String: String].self, from: Data(object))) ?? [:]
}

private func helper(_ items: FuzzItems = FuzzItems()) -> CredentialHelper {
    CredentialHelper(items: items, clock: { 1_790_000_000 })
}

@Suite("Fuzzing: the helpers' requests", .tags(.long))
struct ClientHelperFuzzTests {
    private static let gitKeys: Set<String> = [
        "username", "password", "password_expiry_utc", "oauth_refresh_token", "capability[]", "authtype", "credential",
        "state[]",
    ]

    @Test("git gets its stored bytes back in lines with keys that it knows, or nothing is stored")
    func git() {
        let samples = [
            "protocol=https\nhost=h\nusername=u\npassword=p\n",
            "protocol=https\nhost=h:8\npath=a/b.git\nusername=u\npassword=p\npassword_expiry_utc=1790000600\n",
            "\u{FEFF}protocol=https\r\nhost=h\r\nusername=u\r\npassword=p\r\noauth_refresh_token=r\r\n\r\n",
            "capability[]=authtype\ncapability[]=state\nprotocol=https\nhost=h\nauthtype=Bearer\ncredential=c\nstate[]=a\n",
        ]
        let tokens = [
            "protocol=", "host=", "username=", "password=", "path=", "state[]=", "authtype=B", "ephemeral=1\n",
        ]
        Fuzzer("git", samples: samples, tokens: tokens).run { input, _ in
            let items = FuzzItems()
            let git = helper(items)
            guard try Said(to: input, { try git.git("store", request: $0) }).output.isEmpty else {
                return "store prints something"
            }
            let asked = Array("capability[]=authtype\ncapability[]=state\nprotocol=https\n".utf8)
            for request in [input, asked] {
                let got = try Said(to: request) { try git.git("get", request: $0) }
                if let line = got.lines.first(where: { !Self.isKnown($0) }) {
                    return "unexpected line \(Fuzzer.show(Array(line)))"
                }
                guard got.output.isEmpty || got.output.last == 10 else { return "the last line has no end" }
                if let secret = got.secret, !input.contains(secret) { return "the answer has a different secret" }
            }
            guard items.identities().count <= 1 else { return "more than one item is stored" }
            guard let stored = items.identities().first else { return nil }
            // The same request finds the item, unless a git with these capabilities would not understand it.
            let same = try Said(to: input) { try git.git("get", request: $0) }
            guard stored.kind == .internet else { return nil }
            if same.output.isEmpty { return input.contains(0) ? nil : "the stored item is not found" }
            return same.secret == items.bytes(of: stored) ? nil : "the answer has a different secret"
        }
    }

    private static func isKnown(_ line: ArraySlice<UInt8>) -> Bool {
        let key = line.prefix { $0 != UInt8(ascii: "=") }
        return key.endIndex < line.endIndex && gitKeys.contains(String(decoding: key, as: UTF8.self))
    }

    @Test("docker's answer is one JSON value or one line, and a stored login comes back")
    func docker() {
        let samples = [
            #"{"ServerURL":"https://h/v1/","Username":"u","Secret":"s\u00e9\n"}"#,
            #"{"ServerURL":"h:5000","Username":"<token>","Secret":""}"#, "h:5000", "https://h/v1/\n",
        ]
        let tokens = [#""ServerURL":"#, #""Username":"#, #""Secret":"#, "\"\"", "{", "}", ",", "\\u"]
        Fuzzer("docker", samples: samples, tokens: tokens).run { input, _ in
            let items = FuzzItems()
            let docker = helper(items)
            func say(_ word: String, _ request: [UInt8]) throws -> Said {
                try Said(to: request) { try docker.docker(word, request: $0, version: "1") }
            }
            let stored = try say("store", input)
            guard stored.exitCode == (items.isEmpty ? 1 : 0) else {
                return "the answer does not match the stored items"
            }
            guard try say("list", []).json != nil else { return "list does not print JSON" }
            let got = try say("get", input)
            guard got.exitCode == 0 ? got.json != nil : got.lines.count == 1 else { return "get has no valid answer" }
            guard let item = items.identities().first else { return nil }
            guard try say("store", input).exitCode == 0, items.identities() == [item] else {
                return "a second store adds an item"
            }
            let same = try say("get", Array(item.service.utf8))
            // The helper looks a server up without the white space around its name.
            guard item.service.utf8.first != nil, same.exitCode == 0 else {
                return item.service.trimmingCharacters(in: .whitespacesAndNewlines) == item.service ? "not found" : nil
            }
            // A login to a name that can't be a registry's is stored as a record.
            let payload = items.bytes(of: item) ?? []
            let secret = item.kind == .credential ? strings(in: payload)["secret"].map { Array($0.utf8) } : payload
            let isSame = Array((same.strings["Secret"] ?? "?").utf8) == secret
            return isSame && same.json?.count == 3 ? nil : "the answer has a different secret"
        }
    }

    @Test("cargo's answer is one JSON object on one line, with Ok or Err, and a token comes back")
    func cargo() {
        let samples = [
            #"{"v":1,"registry":{"index-url":"sparse+https://h/","name":"n"},"kind":"login","token":"t","args":[]}"#,
            #"{"v":1,"registry":{"index-url":"https://h/"},"kind":"get","operation":"read"}"#,
            #"{"v":1,"registry":{"index-url":"https://h/"},"kind":"logout"}"#,
        ]
        let tokens = [
            #""token":"#, #""kind":"#, #""login""#, #""v":1,"#, "null", "{", "}", ",", "\\u", "\\ud83d\\ude00",
        ]
        Fuzzer("cargo", samples: samples, tokens: tokens).run { input, _ in
            let items = FuzzItems()
            let cargo = helper(items)
            let bytes = SecretBytes(copying: input)
            let asks = bytes.withBytes { CredentialHelper.cargoPrompt($0) } != nil
            let said = try Said(to: input) { try cargo.cargo($0) }
            guard let answer = said.json, answer.count == 1, answer["Ok"] != nil || answer["Err"] != nil else {
                return "the answer is neither Ok nor Err"
            }
            guard let item = items.identities().first else { return nil }
            guard answer["Ok"] != nil, !asks, item.account.isEmpty else {
                return "the answer does not match the stored items"
            }
            let index = String(decoding: try JSONEncoder().encode(item.service), as: UTF8.self)
            let request = Array(#"{"v":1,"registry":{"index-url":\#(index)},"kind":"get"}"#.utf8)
            let got = try Said(to: request) { try cargo.cargo($0) }.cargoToken
            return Array((got ?? "?").utf8) == items.bytes(of: item) ? nil : "the answer has a different token"
        }
    }

    @Test("tokens of Terraform and Vault come back, and nothing else is stored")
    func tokens() {
        let samples = [#"{"token":"t\u00e9"}"#, #" { "token" : "a" } "#, "hvs.token\n", #"{"token":"a","b":1}"#]
        Fuzzer("tokens", samples: samples, tokens: [#""token":"#, "{", "}", ",", "\\n", "\r\n"]).run { input, _ in
            let (forTerraform, forVault) = (FuzzItems(), FuzzItems())
            func terraform(_ word: String) throws -> Said {
                try Said(to: input) { try helper(forTerraform).terraform(word, host: "h", request: $0) }
            }
            func vault(_ word: String) throws -> Said {
                try Said(to: input) { try helper(forVault).vault(word, server: "https://h/", request: $0) }
            }
            guard try (terraform("store").exitCode == 0) != forTerraform.isEmpty else {
                return "terraform: wrong status"
            }
            let answer = try terraform("get")
            guard answer.json?.count == (forTerraform.isEmpty ? 0 : 1) else {
                return "terraform: no valid answer"
            }
            if let item = forTerraform.identities().first {
                let asked = try? JSONSerialization.jsonObject(with: Data(input)) as? [String: Any]
                guard Array((answer.strings["token"] ?? "?").utf8) == forTerraform.bytes(of: item),
                    asked.map({ $0.count == 1 }) ?? true
                else { return "terraform: a different token" }
            }
            let status = try vault("store").exitCode
            guard forVault.isEmpty ? [1, 65].contains(status) : status == 0 else { return "vault: wrong status" }
            let token = try vault("get").output
            guard forVault.isEmpty ? token.isEmpty : token + [10] == input || token == input else {
                return "vault: a different token"
            }
            _ = try terraform("forget")
            _ = try vault("erase")
            return forTerraform.isEmpty && forVault.isEmpty ? nil : "a token is still stored"
        }
    }

    @Test("a prompt is answered with one line, the secret of its item, or not at all")
    func prompts() {
        let samples = [
            "Enter passphrase for key '/k': ", "Enter passphrase for /k: ", "u@h's password: ", "(u@h) Password: ",
            "[sudo] password for u: ", "[sudo] u 的密码：", "[sudo: x] Password: ", "Username for 'https://h': ",
            "Password for 'https://u@h/p': ",
        ]
        Fuzzer("prompts", samples: samples, tokens: ["@", "'s password: ", "': ", ")", "(", "%40", "%"]).run {
            input, _ in
            let text = String(decoding: input, as: UTF8.self)
            let items = FuzzItems()
            let prompt = AskpassPrompt(text)
            let bytes = SecretBytes(utf8: "secret")
            if case .secret(let service, let account) = prompt {
                guard !service.isEmpty, text.utf8.count > service.utf8.count else { return "the prompt names no item" }
                let said = Said(try helper(items).askpass(prompt))
                guard said.output.isEmpty, said.exitCode == 1 else { return "an answer although no item is stored" }
                items.set(bytes, for: .password(service: service, account: account ?? ""), timeout: nil)
                return Said(try helper(items).askpass(prompt)).output == Array("secret\n".utf8) ? nil : "no answer"
            }
            items.set(bytes, for: .password(service: "h", account: "u"), timeout: nil)
            let said = Said(try helper(items).askpass(prompt))
            return said.output.isEmpty && said.exitCode == 1 ? nil : "an answer to a prompt that asks for no secret"
        }
    }

    @Test("keyring gets back the password that was set, and its JSON is one object")
    func keyring() {
        Fuzzer("keyring", samples: ["p", "p\n", "a b\r\n", ""], tokens: ["\n", "\"", "\\"]).run { input, random in
            let service = "s" + Fuzzer.text(&random, of: ["https://", "h", "/", ":8"])
            let user = Fuzzer.text(&random, of: ["u", "@"], longest: 2)
            let keyring = helper()
            _ = try Said(to: input + [10]) { try keyring.keyringSet(service: service, user: user, password: $0) }
            let got = Said(try keyring.keyringGet(service: service, user: user, form: .password))
            guard got.output == input + [10] else { return "\(service) \(user): a different password" }
            let json = Said(try keyring.keyringGet(service: service, user: nil, form: .credentialsJSON))
            guard String(validating: input, as: UTF8.self) != nil else { return json.output.isEmpty ? nil : "not text" }
            let fields = json.strings
            guard Array((fields["password"] ?? "?").utf8) == input,
                Array((fields["username"] ?? "?").utf8) == Array(user.utf8)
            else { return "\(service) \(user): wrong JSON" }
            let lines = Said(try keyring.keyringGet(service: service, user: nil, form: .credentials))
            guard lines.exitCode == 1 || lines.lines.count == 2 else { return "\(user): not two lines" }
            return try keyring.keyringDelete(service: service, user: user).exitCode == 0 ? nil : "not deleted"
        }
    }

    @Test("a netrc has a line for each machine, from which curl reads the stored password")
    func netrc() {
        let samples = ["p", "a b", "\"", "\\", "#x", "a\\nb", "\\\""]
        Fuzzer("netrc", samples: samples, tokens: ["\n", "\r", "\t", "\"", "\\", "#", "\u{B}"]).run { input, random in
            let items = FuzzItems()
            let service =
                ["https://h", "h", "h:8", "h\nx", "h x", "https://h\"", "é"].randomElement(using: &random) ?? "h"
            items.set(SecretBytes(copying: input), for: .internet(server: service, account: "u"), timeout: nil)
            let said = Said(try helper(items).netrc([]))
            guard !said.output.isEmpty else {
                return input.contains(0) || !["https://h", "h", "h:8"].contains(service) ? nil : "no output"
            }
            let start = Array("machine h login u password ".utf8)
            guard said.lines.count == 1, said.output.starts(with: start), said.output.last == 10 else {
                return "not one line for the machine"
            }
            return curlToken(said.output.dropFirst(start.count).dropLast()) == input ? nil : "a different password"
        }
    }

    /// Returns a value as curl's parser reads it, or `nil` if more text follows.
    private func curlToken(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.first == UInt8(ascii: "\"") else {
            let isPlain = !text.isEmpty && text.allSatisfy { $0 > 0x20 } && text.first != UInt8(ascii: "#")
            return isPlain ? Array(text) : nil
        }
        var (value, isEscaped): ([UInt8], Bool) = ([], false)
        for (position, byte) in zip(text.indices, text).dropFirst() {
            if isEscaped {
                value.append([UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9][byte] ?? byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                return position == text.endIndex - 1 ? value : nil
            } else {
                value.append(byte)
            }
        }
        return nil
    }
}

extension Said {
    /// The value after `password=` or `credential=`.
    fileprivate var secret: [UInt8]? {
        for line in lines {
            for key in ["password=", "credential="] where line.starts(with: key.utf8) {
                return Array(line.dropFirst(key.utf8.count))
            }
        }
        return nil
    }
}

extension FuzzItems {
    fileprivate func bytes(of item: ItemIdentity) -> [UInt8]? {
        guard let secret = get(item) else { return nil }
        return secret.array
    }
}

extension [UInt8] {
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        part.isEmpty || indices.contains { self[$0...].starts(with: part) }
    }
}
