import CredentialHelpers
import Keyutils
import SecretText
import SessionKeyring

extension HelperUnderTest {
    /// The time `seconds` from now, as clients write it.
    static func time(in seconds: Int64) -> String { DateTimeText.text(of: now + seconds) }

    /// Stores a secret as `skr set` does.
    func keep(_ secret: String, _ service: String, _ account: String = "") throws {
        try store.set(secret, for: .password(service: service, account: account))
    }

    /// Stores a secret with its expiry next to it.
    func keep(_ secret: String, until end: Int64, _ service: String, _ account: String = "") throws {
        try store.set(
            #"{"secret":"\#(secret)","expires":\#(end)}"#, for: .credential(service: service, account: account))
    }

    func aws(_ service: String, _ account: String? = nil) throws -> Said {
        try answer([]) { _ in try helper.aws(service, account: account) }
    }

    func kubernetes(_ service: String, asked request: String = "") throws -> Said {
        try answer(request.utf8) { try helper.kubernetes(service, request: $0) }
    }

    func google(_ service: String, type: String? = nil) throws -> Said {
        try answer([]) { _ in try helper.google(service, tokenType: type) }
    }

    func go(_ url: String?) throws -> Said { try answer([]) { _ in try helper.go(url: url) } }

    func go(_ service: String, for prefix: String, _ url: String?) throws -> Said {
        try answer([]) { _ in try helper.go(service, prefix: prefix, url: url) }
    }

    func bazel(_ request: String, _ operation: String = "get") throws -> Said {
        try answer(request.utf8) { try helper.bazel(operation, request: $0) }
    }

    func npm(_ service: String, _ account: String? = nil) throws -> Said {
        try answer([]) { _ in try helper.npm(service, account: account) }
    }

    func terraform(_ operation: String, _ request: String = "", host: String = "app.terraform.io") throws -> Said {
        try answer(request.utf8) { try helper.terraform(operation, host: host, request: $0) }
    }

    func vault(_ operation: String, _ request: String = "", server: String = "https://v:8200") throws -> Said {
        try answer(request.utf8) { try helper.vault(operation, server: server, request: $0) }
    }

    func keyringGet(_ service: String, _ user: String?, _ form: KeyringForm = .password) throws -> Said {
        try answer { _ in try helper.keyringGet(service: service, user: user, form: form) }
    }

    func keyringSet(_ service: String, _ user: String, _ password: String) throws -> Said {
        try answer(password.utf8) { try helper.keyringSet(service: service, user: user, password: $0) }
    }

    func keyringDelete(_ service: String, _ user: String) throws -> Said {
        try answer { _ in try helper.keyringDelete(service: service, user: user) }
    }

    /// Returns the answer to the output that a command printed at `now`.
    ///
    /// If the output can't be used, returns the error's message and hint.
    static func told(_ output: String, in format: some TokenFormat, account: String = "") -> String {
        do throws(UnusableToken) {
            let issued = Issuance(SecretBox(SecretBytes(utf8: output)), account: account, issued: now)
            return try format.answer(issued).output.text ?? "no text"
        } catch {
            return "\(error.message) (\(error.hint))"
        }
    }

    /// Returns the code of the ``SecretStoreError`` that `body` throws, or `nil` if it throws none.
    static func code(_ body: () throws -> Void) -> SecretStoreError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? SecretStoreError)?.code
        }
    }
}
