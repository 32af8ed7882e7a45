import Foundation
import Testing

/// Scripts with an OAuth server of their own, Tests/OAuthServer/judge.py.
struct OAuthServer {
    static let program = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("OAuthServer/judge.py").path

    /// Whether the tested programs have the login with a browser, which needs cryptography.
    static let hasBrowser: Bool = {
        #if EncryptedSessions
            true
        #else
            // The installed programs have it.
            ProcessInfo.processInfo.environment["SKR_TEST_EXECUTABLE"] != nil
        #endif
    }()

    /// The beginning of a script: an empty home folder, a server whose address is `$server`, and a browser that visits
    /// a page as a user does who is logged in already.
    ///
    /// - `login` logs in to the account `work`, with these further words, and declares it.
    /// - `report` prints a value of the server's report.
    /// - `record` prints a value of the stored login.
    /// - `sent` waits until the server has got this number of requests for tokens.
    /// - `begin` logs in, and starts a reader whose refresh the server has got; it treats the request as `next` sets.
    /// - `next` sets how the server treats its next requests.
    static func prelude(_ options: String = "") -> String {
        CommandRunner.waits + #"""
            export HOME=$(mktemp -d) XDG_CONFIG_HOME= SKR_SOURCES= NO_COLOR=1; trap 'rm -rf $HOME' EXIT
            unset SSH_CONNECTION DISPLAY WAYLAND_DISPLAY BROWSER SKR_NAMESPACE
            exec {server_end}> >(exec /usr/bin/python3 "$SKR_TEST_JUDGE" \#(options) > $HOME/address)
            filled $HOME/address; server=$(< $HOME/address)
            printf '#!/bin/sh\nexec curl -sL "$1" > $HOME/page\n' > $HOME/browser; chmod +x $HOME/browser
            login() {
                BROWSER=$HOME/browser skr login work --issuer $server --client-id skr \#(hasBrowser ? "" : "--device") "$@" 2> $HOME/log >&2 ||
                    { echo "login: $?"; cat $HOME/log; }
            }
            report() { curl -s $server/report | jq -c ".$1"; }
            record() { keyctl pipe %user:credential:work: | jq -cr "$1"; }
            sent() { for i in {1..200}; do [ "$(report received)" = $1 ] && break; sleep 0.05; done; }
            begin() { login; skr delete work; next "$1"; skr get work > $HOME/out 2>&1 & reader=$!; sent 2; }
            next() { printf '%s\n' "$@" | curl -s --data-binary @- $server/next > $HOME/next; }

            """#
    }

    /// Runs a script in a new session.
    @discardableResult
    static func run(
        _ script: String, _ options: String = "", prints output: String? = nil,
        at location: SourceLocation = #_sourceLocation
    ) throws -> CommandRunner.Outcome {
        try CommandRunner().inSession(
            prelude(options) + script, environment: ["SKR_TEST_JUDGE": program], prints: output, at: location)
    }
}
