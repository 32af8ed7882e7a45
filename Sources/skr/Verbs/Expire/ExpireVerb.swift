import CommandSupport
import SessionKeyring

struct ExpireVerb: Verb {
    static let name = "expire"
    static let summary = "Give a secret a new timeout, counted from now, or remove its timeout."

    static let examples = """
        skr expire api --timeout 5m
        skr expire api --never
        """

    private let timeout: TimeoutArgument?
    private let never: Bool
    private let target: TargetWords

    init(_ words: inout CommandWords) {
        timeout = words.timeout(
            "How long the secret is kept from now: 90s, 15m, 8h, 2d or 1h30m; never means as --never.")
        never = words.flag("--never", "Remove the timeout: the secret is kept until the session ends.")
        target = TargetWords(&words)
    }

    func run() throws {
        guard (timeout != nil) != never else {
            throw CommandError.usage(
                "expire needs either --timeout or --never", hint: "write, for example, --timeout 15m")
        }
        let target = try target.target()
        let store = try target.place.store()
        let item = try target.meantItem(in: store)
        guard try store.expire(item, timeout: timeout?.duration) else {
            throw target.missing(item, in: store, hint: MissingItem.listHint)
        }
    }
}
