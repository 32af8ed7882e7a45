import CommandSupport
import SessionKeyring

extension CachedAction {
    /// Creates the action of a plain call; `nil` for any other call.
    init?(plain words: CommandLineWords) {
        guard var call = PlainCall(launching: words) else { return nil }
        var keys: [String] = []
        // Local variables, because filling `self` step by step costs a copy of it.
        var (refreshBefore, failureTimeout): (Duration?, Duration?)
        var timeout: TimeoutArgument?
        var lifetimePath: String?
        var (isStaleWhileRefreshing, isForced) = (false, false)
        while let option = call.nextOption() {
            switch option {
            case "--stale-while-refreshing" where !isStaleWhileRefreshing: isStaleWhileRefreshing = true
            case "--force" where !isForced: isForced = true
            case "--key": if let key = call.value() { keys.append(key) }
            case "--timeout-from-json" where lifetimePath == nil: lifetimePath = call.value()
            case "--timeout" where timeout == nil: timeout = call.timeout()
            case "--refresh-before" where refreshBefore == nil: refreshBefore = call.duration()
            case "--cache-failures" where failureTimeout == nil: failureTimeout = call.duration()
            default: return nil
            }
        }
        guard let (name, place) = call.named() else { return nil }
        do throws(CommandError) {
            timeout = try Self.timeout(timeout, lifetimePath: lifetimePath)
        } catch {
            return nil
        }
        self.init(
            place: place, item: .cached(name, variant: CachedVariant.text(of: keys)), timeout: timeout,
            lifetimePath: lifetimePath, refreshBefore: refreshBefore, isStaleWhileRefreshing: isStaleWhileRefreshing,
            failureTimeout: failureTimeout, isForced: isForced, command: call.command)
        guard (try? check()) != nil else { return nil }
    }

    /// Returns the value of `--timeout`, or else of SKR_TIMEOUT.
    ///
    /// If the output itself states its lifetime, SKR_TIMEOUT is not needed and not used.
    static func timeout(
        _ said: TimeoutArgument?, lifetimePath: String?
    ) throws(CommandError) -> TimeoutArgument? {
        guard said == nil, lifetimePath == nil else { return said }
        return try TimeoutArgument.usual()
    }

    /// Checks the options that depend on each other.
    func check() throws(CommandError) {
        try command.requireCommand("skr cached NAME --timeout 15m -- CMD")
        guard timeout != nil || lifetimePath != nil else {
            throw .usage(
                "cached needs a timeout for the output",
                hint: "pass --timeout 15m or --timeout-from-json .expires_in, or set SKR_TIMEOUT")
        }
        guard timeout?.isPossible ?? true, Self.isTimeout(failureTimeout) else {
            throw .usage(
                "--timeout and --cache-failures must be 1 to 4294967295 seconds",
                hint: "write it as \(DurationText.forms)")
        }
        try checkRefresh()
        if let lifetimePath, !Self.isPath(lifetimePath) {
            throw .usage(
                "--timeout-from-json: \(Display.quoted(lifetimePath)) is not a list of field names with dots between them",
                hint: "write it as .expires_in or .Credentials.Expiration")
        }
    }

    private func checkRefresh() throws(CommandError) {
        if isStaleWhileRefreshing, refreshBefore == nil {
            throw .usage(
                "--stale-while-refreshing needs --refresh-before", hint: "add it, for example --refresh-before 2m")
        }
        guard let refreshBefore else { return }
        guard timeout != .never || lifetimePath != nil else {
            throw .usage(
                "--refresh-before can't be used with the timeout 'never'",
                hint: "pass a duration, such as --timeout 15m")
        }
        guard refreshBefore > .zero, timeout?.duration.map({ refreshBefore < $0 }) ?? true else {
            throw .usage(
                "--refresh-before must be more than 0 and less than --timeout or SKR_TIMEOUT",
                hint: "for example --timeout 15m --refresh-before 2m: after 13 minutes, CMD runs again")
        }
    }

    private static func isTimeout(_ duration: Duration?) -> Bool {
        duration.map { TimeoutArgument.after($0).isPossible } ?? true
    }

    /// Returns whether the text is names with dots between them, and possibly a dot before the first name.
    static func isPath(_ text: String) -> Bool {
        let names = text.utf8.first == UInt8(ascii: ".") ? text.utf8.dropFirst() : text.utf8[...]
        return !names.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).contains(where: \.isEmpty)
    }
}
