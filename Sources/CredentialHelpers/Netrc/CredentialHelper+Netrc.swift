import Keyutils
import SecretText
public import SessionKeyring

/// The lines of a netrc, which curl, SwiftPM, Go, Nix and others read.
extension CredentialHelper {
    /// Answers with a line for each account of the named machines, or of all machines.
    ///
    /// The lines come from items of the kind `internet` whose service is an origin or a host's name. A netrc has
    /// neither ports nor paths. If several items are for one account of one machine, only one is written: the one for
    /// https without a port, otherwise one for https, otherwise the first by name. An item without an account is
    /// written only if its machine is named.
    ///
    /// - Parameter names: machines, or services of items; empty for all machines. If nothing is stored for one of them,
    ///   the answer is an error.
    /// - Throws: ``SecretStoreError``.
    public func netrc(_ names: [String]) throws(SecretStoreError) -> HelperAnswer {
        let found = try items.identities().secrets { $0.kind == .internet }.compactMap(NetrcLine.init)
        var lines: [NetrcLine] = []
        for name in names {
            let named = found.filter { $0.isMeant(by: name) }
            guard !named.isEmpty else { return .missing(.internet(server: name)) }
            lines += Self.oneEach(named)
        }
        if names.isEmpty { lines = Self.oneEach(found.filter { !$0.item.account.isEmpty }) }
        var written: Set<NetrcLine.Login> = []
        return try netrcAnswer(lines.filter { written.insert($0.login).inserted })
    }

    /// Returns the preferred line of each login.
    private static func oneEach(_ lines: [NetrcLine]) -> [NetrcLine] {
        var best: [NetrcLine.Login: NetrcLine] = [:]
        for line in lines where line.rank < best[line.login]?.rank ?? .max { best[line.login] = line }
        return lines.filter { best[$0.login]?.item == $0.item }
    }

    private func netrcAnswer(_ lines: [NetrcLine]) throws(SecretStoreError) -> HelperAnswer {
        var secrets: [(line: NetrcLine, login: SecretBox, secret: SecretBox)] = []
        for line in lines {
            // The item can have expired since it was listed.
            guard let secret = try credential(line.item)?.secret else { continue }
            let login = SecretBox(SecretBytes(utf8: line.item.account))
            guard !secret.hasNUL, !login.hasNUL else {
                return HelperAnswer(exitCode: 1, message: "\(line.item): a netrc file can't hold a NUL byte")
            }
            secrets.append((line, login, secret))
        }
        return HelperAnswer { text in
            for (line, login, secret) in secrets {
                text.append("machine \(line.machine) login ")
                text.appendNetrc(login)
                text.append(" password ")
                text.appendNetrc(secret)
                text.append("\n")
            }
        }
    }
}

/// An item that can have a line in a netrc.
private struct NetrcLine {
    let item: ItemIdentity
    /// The name of the host, without its port.
    let machine: String
    /// The line's rank among several lines for one login: the smallest is preferred.
    ///
    /// Lines of the same rank are ordered by name: an address without a port precedes the same address with a port.
    let rank: Int

    /// The machine and the account by which a reader of a netrc finds a line.
    struct Login: Hashable {
        let machine, account: [UInt8]
    }

    var login: Login { Login(machine: Array(machine.utf8), account: Array(item.account.utf8)) }

    /// Creates a line for an item; `nil` if its service does not name a host.
    init?(_ item: ItemIdentity) {
        let origin = Origin(item.service)
        var host = (origin?.host ?? item.service).utf8[...]
        if host.first == UInt8(ascii: "["), let end = host.firstIndex(of: UInt8(ascii: "]")) {
            host = host[host.index(after: host.startIndex)..<end]
        } else {
            host = host.prefix { $0 != UInt8(ascii: ":") }
        }
        guard !host.isEmpty, host.allSatisfy({ $0.isLetter || $0.isDigit || "-._:".utf8.contains($0) }) else {
            return nil
        }
        self.item = item
        machine = String(Substring(host))
        rank = origin?.scheme == "https" ? 0 : 1
    }

    func isMeant(by name: String) -> Bool {
        machine == name || item.service == name || item.service == "https://\(name)"
    }
}
