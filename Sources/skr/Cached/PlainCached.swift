import CommandSupport
import SessionKeyring

/// Recognises plain calls of `skr cached`, as ``PlainCall`` does those of the other hot verbs.
package enum PlainCached {
    package static func parse(_ arguments: CommandLineWords) -> Invocation? {
        guard arguments[0] == "cached" else { return nil }
        var name: String?
        var keys: [String] = []
        var timeout: Duration?
        var lifetimePath: String?
        var refreshBefore: Duration?
        var failureTimeout: Duration?
        var isStaleWhileRefreshing = false
        var isForced = false
        var scope: Place.Scope?
        var namespace: String?

        var position = 1
        while true {
            guard let word = arguments[position] else { return nil }
            position += 1
            if word == "--" { break }
            switch word {
            case _ where word.utf8.first != UInt8(ascii: "-"):
                guard name == nil else { return nil }
                name = word
                continue
            case "--stale-while-refreshing" where !isStaleWhileRefreshing:
                isStaleWhileRefreshing = true
                continue
            case "--force" where !isForced:
                isForced = true
                continue
            default: break
            }

            // Any other word must be an option with a good value behind it, and there once unless it is a key.
            guard let value = arguments[position], value.utf8.first != UInt8(ascii: "-") else { return nil }
            position += 1
            switch word {
            case "--timeout" where timeout == nil:
                guard let duration = DurationText.parse(value) else { return nil }
                timeout = duration
            case "--key": keys.append(value)
            case "--refresh-before" where refreshBefore == nil:
                guard let duration = DurationText.parse(value) else { return nil }
                refreshBefore = duration
            case "--timeout-from-json" where lifetimePath == nil: lifetimePath = value
            case "--cache-failures" where failureTimeout == nil:
                guard let duration = DurationText.parse(value) else { return nil }
                failureTimeout = duration
            case "--scope" where scope == nil:
                guard let known = Place.Scope(rawValue: value) else { return nil }
                scope = known
            case "--namespace" where namespace == nil: namespace = value
            default: return nil
            }
        }

        guard let name, let place = try? Place(scope: scope, namespace: namespace) else { return nil }
        let request = try? CachedRequest(
            place: place, item: .cached(name, variant: CachedVariant.text(of: keys)), timeout: timeout,
            lifetimePath: lifetimePath, refreshBefore: refreshBefore, isStaleWhileRefreshing: isStaleWhileRefreshing,
            failureTimeout: failureTimeout, isForced: isForced, command: arguments.suffix(from: position)
        )
        return request.map(Invocation.cached)
    }
}
