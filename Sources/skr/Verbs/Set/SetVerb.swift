import CommandSupport

struct SetVerb: Verb {
    static let name = "set"
    static let summary = "Store a secret from standard input, or ask for it without echo."
    static let details = """
        set drops one newline at the end of standard input. It replaces an existing secret and its timeout in \
        one step. Without ACCOUNT, the item has no account.

        A text that ends in a carriage return, as lines of Windows files do, is stored with a warning.

        If the existing secret has a timeout and you give no new one, a line on standard error reports it.

        Empty standard input is an error, because the program before the pipe has probably failed; the existing \
        secret stays.

        Without --timeout, SKR_TIMEOUT sets how long the secret is kept.
        """

    static let examples = """
        printf %s "$TOKEN" | skr set api --timeout 8h
        skr set db alice
        skr set --raw signing-key < key.pem
        openssl rand -base64 32 | skr set --new session-key
        """

    private let timeout: TimeoutArgument?
    private let isNew, isRaw, allowsEmpty: Bool
    private let target: TargetWords

    init(_ words: inout CommandWords) {
        words.mayBeSecret = true
        timeout = words.timeout(
            "How long the secret is kept: 90s, 15m, 8h, 2d or 1h30m; never means until the session ends.",
            variable: TimeoutArgument.variable)
        isNew = words.flag("--new", "Fail if the item already exists (exit code 73).")
        isRaw = words.flag("--raw", "Keep a newline at the end of standard input.")
        allowsEmpty = words.flag("--allow-empty", "Accept an empty secret, which is otherwise an error (exit code 64).")
        target = TargetWords(&words)
    }

    func run() throws {
        guard target.account != "-" else {
            throw CommandError.usage(
                "'-' is not an account: set reads the secret from standard input by itself",
                hint: "leave out the '-': skr set SERVICE [ACCOUNT] < FILE")
        }
        let timeout = try TimeoutArgument.usual(unless: timeout)
        try SetAction(
            target: target.target(), timeout: timeout, isNew: isNew, isRaw: isRaw, allowsEmpty: allowsEmpty
        ).run()
    }
}
