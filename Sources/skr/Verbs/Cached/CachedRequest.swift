import CommandSupport
import SessionKeyring

/// What `skr cached` is asked for.
struct CachedRequest: Equatable {
    let place: Place
    let item: ItemIdentity
    let timeout: Duration?
    /// Where in the output its lifetime stands.
    let lifetimePath: String?
    let refreshBefore: Duration?
    private(set) var isStaleWhileRefreshing: Bool
    /// How long a failure is remembered.
    let failureTimeout: Duration?
    let isForced: Bool
    let command: CommandLineWords

    init(
        place: Place,
        item: ItemIdentity,
        timeout: Duration?,
        lifetimePath: String?,
        refreshBefore: Duration?,
        isStaleWhileRefreshing: Bool,
        failureTimeout: Duration?,
        isForced: Bool,
        command: CommandLineWords
    ) throws(CommandError) {
        self.place = place
        self.item = item
        self.timeout = timeout
        self.lifetimePath = lifetimePath
        self.refreshBefore = refreshBefore
        self.isStaleWhileRefreshing = isStaleWhileRefreshing
        self.failureTimeout = failureTimeout
        self.isForced = isForced
        self.command = command
        try check()
    }

    /// The same, for the process that refreshes behind its caller's back.
    var inForeground: CachedRequest {
        var request = self
        request.isStaleWhileRefreshing = false
        return request
    }

    private func check() throws(CommandError) {
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
        if let lifetimePath, !LifetimePath.isOne(lifetimePath) {
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
}

/// Where something stands in JSON: names with dots between, and maybe one before.
enum LifetimePath {
    static func isOne(_ text: String) -> Bool {
        var length = 0
        var isFirst = true
        for byte in text.utf8 {
            defer { isFirst = false }
            if byte == UInt8(ascii: ".") {
                if length == 0 && !isFirst { return false }
                length = 0
            } else {
                length += 1
            }
        }
        return length > 0
    }
}
