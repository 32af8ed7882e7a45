import CommandSupport
import SessionKeyring

/// The options of `skr cached`.
struct CachedRequest {
    let place: Place
    let item: ItemIdentity
    let timeout: Duration?
    /// Where in the output its lifetime stands.
    let lifetimePath: String?
    let refreshBefore: Duration?
    var isStaleWhileRefreshing: Bool
    /// How long a failure is remembered.
    let failureTimeout: Duration?
    let isForced: Bool
    let command: CommandLineWords

    /// The same, for the process in the background.
    var inForeground: CachedRequest {
        var request = self
        request.isStaleWhileRefreshing = false
        return request
    }

    /// Checks what concerns more than one option.
    func check() throws(CommandError) {
        guard command.count > 0 else {
            throw .usage("no command to run", hint: "write it behind '--': skr cached NAME --timeout 15m -- CMD")
        }
        guard timeout != nil || lifetimePath != nil else {
            throw .usage(
                "how long is the output to be kept", hint: "pass --timeout 15m, or --timeout-from-json .expires_in")
        }
        guard Self.isTimeout(timeout), Self.isTimeout(failureTimeout) else {
            throw .usage(
                "a timeout must be more than 0 and at most 4294967295 seconds",
                hint: "pass a duration such as 90s, 15m or 8h")
        }
        try checkRefresh()
        if let lifetimePath, !Self.isPath(lifetimePath) {
            throw .usage(
                "--timeout-from-json needs names with dots between",
                hint: "such as .expires_in or .Credentials.Expiration")
        }
    }

    private func checkRefresh() throws(CommandError) {
        if isStaleWhileRefreshing, refreshBefore == nil {
            throw .usage("--stale-while-refreshing needs --refresh-before", hint: "pass --refresh-before 2m, say")
        }
        guard let refreshBefore else { return }
        guard refreshBefore > .zero, timeout.map({ refreshBefore < $0 }) ?? true else {
            throw .usage(
                "--refresh-before must be more than 0 and less than --timeout",
                hint: "it is how long before its end the output is fetched anew")
        }
    }

    private static func isTimeout(_ duration: Duration?) -> Bool {
        guard let duration else { return true }
        return duration > .zero && duration <= .seconds(4_294_967_295)
    }

    /// Whether it is names with dots between, and maybe one before.
    private static func isPath(_ text: String) -> Bool {
        let names = text.utf8.first == UInt8(ascii: ".") ? text.utf8.dropFirst() : text.utf8[...]
        return !names.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).contains(where: \.isEmpty)
    }
}

/// The --key arguments as one text, different for different arguments.
///
/// They are joined by commas, with a `\` before each `\` and `,`; an empty one is `\e`.
package enum CachedVariant {
    package static func text(of keys: [String]) -> String {
        // Not `joined`: it looks up conformances at run time, which takes longer than everything else here.
        var text = ""
        for key in keys { text += text.isEmpty ? escaped(key) : "," + escaped(key) }
        return text
    }

    private static func escaped(_ key: String) -> String {
        if key.isEmpty { return "\\e" }
        var text = ""
        for scalar in key.unicodeScalars {
            if scalar == "\\" || scalar == "," { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(scalar)
        }
        return text
    }
}
