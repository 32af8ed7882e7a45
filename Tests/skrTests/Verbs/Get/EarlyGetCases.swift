import Foundation
import Threads

/// Generates command lines and environments, as lines of a shell script.
struct EarlyGetCases {
    /// The installed executable, in which C answers a plain `get` early.
    static let installed = ProcessInfo.processInfo.environment["SKR_TEST_EXECUTABLE"]

    private var random: Choices

    init(seed: UInt64) {
        random = Choices(seed: seed)
    }

    /// Returns the arguments for the script's `c` after the number: the output's target, variables, `--` and words.
    mutating func next() -> String {
        // The most common calls, so that no seed gives mostly errors.
        if chance(20) { return Self.line("file", ["--", "get"] + (Self.usual.randomElement(using: &random) ?? [])) }
        var words = ["get", Self.items.randomElement(using: &random) ?? "a"]
        if chance(40) { words.append((Self.accounts + Self.items).randomElement(using: &random) ?? "") }
        if chance(25) {
            words.insert(Self.odd.randomElement(using: &random) ?? "", at: .random(in: 0...words.count, using: &random))
        }
        if chance(3) { words = [words[0]] }
        if chance(10) {
            words[words.count - 1] += Self.endings.randomElement(using: &random) ?? ""
        }
        var variables: [String] = []
        if chance(40) { variables.append("SKR_SCOPE=" + (Self.scopes.randomElement(using: &random) ?? "")) }
        if chance(50) { variables.append("SKR_NAMESPACE=" + (Self.namespaces.randomElement(using: &random) ?? "")) }
        let output = chance(92) ? "file" : Self.outputs.randomElement(using: &random) ?? "file"
        return Self.line(output, variables + ["--"] + words)
    }

    private static func line(_ output: String, _ words: [String]) -> String {
        ([output] + words.map(quoted)).joined(separator: " ")
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    /// Quotes any bytes for bash.
    ///
    /// `\u{FFFF}` stands for a byte that is not UTF-8.
    private static func quoted(_ word: String) -> String {
        let bytes = word.unicodeScalars.flatMap { $0 == "\u{FFFF}" ? [0xFF] : Array(String($0).utf8) }
        return "$'" + bytes.map { byte in "\\x" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
            + "'"
    }

    private static let forms = [
        "o\u{308}", "\u{F6}", "\u{1E9B}\u{323}", "\u{1100}\u{1161}", "\u{AC00}", "\u{FB01}", "\u{301}",
    ]
    private static let usual = [["a"], ["two", "al"], ["large"]]
    private static let items =
        [
            "a", "a", "a", "two", "sole", "nul", "nuls", "empty", "large", "text", "A.b_c-d~9", ".lead", "gone", "shut",
            "dead",
        ]
        + ["ring", "logon", "none", "json", "a:b", "a b"] + forms
    private static let accounts = ["al", "al", "al", "bo", "", "none", ".lead", "a:b"] + forms
    private static let odd = [
        "", "-", "--", "-h", "--help", "--field", "--field=k", "--scope", "--scope=session", "session", "--namespace",
        "n", "get",
        "--scope=user", "--namespace=n", "--version", "\u{FFFF}", "-a", "a", "al", "\u{301}",
    ]
    private static let endings = [
        "", " ", "\n", "%41", "/", "\u{FFFF}", "\u{301}", "\u{200B}", "x", String(repeating: "x", count: 4_082),
        String(repeating: "x", count: 4_083), String(repeating: "x", count: 4_084),
        String(repeating: "x", count: 4_085),
        String(repeating: "x", count: 5_000),
    ]
    private static let scopes = [
        "", "session", "session", "session", "user", "Session", "sessio", "session ", "\u{301}", "sessio\u{301}n",
        "\u{FFFF}", "nowhere",
    ]
    private static let namespaces =
        ["", "default", "n", "n", "n", "nested", "dead", "none", "-x", ".x", "a:b", "a b", "~_.-", "\u{FFFF}"] + forms
        + (250...256).map { String(repeating: "n", count: $0) }
    private static let outputs = ["closed", "full", "broken", "ignored", "short", "terminal", "terminal", "pipe"]

    /// Stores items of every kind and defines `c`, which runs a case with both executables.
    static let preparation = #"""
        unset SKR_NAMESPACE SKR_SCOPE; ulimit -c 0
        set_item() { "$WITH" set --raw --timeout 1h "$@"; }
        for namespace in default n -x ~_.- $'o\u0308' $'\u00f6' nested dead; do
            export SKR_NAMESPACE=$namespace
            for service in a $'o\u0308' $'\u00f6' $'\u1100\u1161' .lead A.b_c-d~9; do printf "$service in $namespace" | set_item "$service"; done
            for account in al bo $'o\u0308'; do printf $account | set_item two $account; done; printf al | set_item a al
            printf s | set_item sole al; printf '\0' | set_item nul; printf '\0\0\0' | set_item nuls
            set_item empty </dev/null 2>/dev/null || set_item empty --allow-empty </dev/null
            head -c 32767 /dev/zero | tr '\0' y | set_item large; printf 'a\0b\377\n\n' | set_item text; printf '{"k":"v"}' | set_item json
            printf x | "$WITH" set gone --timeout 1s; printf x | set_item shut; printf x | set_item dead
            ring=$(keyctl search @s keyring "skr:$(sed 's/ö/%6F%CC%88/;s/ö/%C3%B6/' <<<"$namespace")" 2>/dev/null) || continue
            keyctl setperm "$(keyctl search $ring user password:shut:)" 0x01000000; keyctl revoke "$(keyctl search $ring user password:dead:)"
            keyctl newring password:ring: $ring >/dev/null; keyctl add logon password:logon: x $ring >/dev/null
        done
        while "$WITH" get gone >/dev/null 2>&1; do sleep 0.02; done
        unset SKR_NAMESPACE
        outer=$(keyctl newring outer @s); keyctl move "$(keyctl search @s keyring skr:nested)" @s $outer
        keyctl revoke "$(keyctl search @s keyring skr:dead)"
        # A pipe that nobody reads.
        rm -f unread; mkfifo unread; exec 8<>unread 9>unread 8>&-
        : >with.out; : >with.err; : >without.out; : >without.err

        c() {
            local number=$1 mode=$2 variables=(); shift 2
            while [[ $1 != -- ]]; do variables+=("$1"); shift; done; shift
            run with "$WITH" "$@"; run without "$WITHOUT" "$@"
        }
        run() {
            local side=$1; shift; local line=(env -i "${variables[@]}" "$@")
            printf 'case %s %s\n' $number $mode >>$side.out; printf 'case %s %s\n' $number $mode >>$side.err
            case $mode in
                file) "${line[@]}" >>$side.out 2>>$side.err </dev/null ;;
                closed) "${line[@]}" >&- 2>>$side.err ;;
                full) "${line[@]}" >/dev/full 2>>$side.err ;;
                broken) "${line[@]}" >&9 2>>$side.err ;;
                ignored) (trap '' PIPE; exec "${line[@]}" >&9 2>>$side.err) ;;
                short) (trap '' XFSZ; ulimit -f 1; exec "${line[@]}" 2>&1 >short) | cat >>$side.err; cat short >>$side.out; (exit ${PIPESTATUS[0]}) ;;
                terminal) script -qefc "$(printf '%q ' "${line[@]}")" /dev/null >>$side.out 2>>$side.err </dev/null ;;
                pipe) "${line[@]}" 2>>$side.err | cat >>$side.out; (exit ${PIPESTATUS[0]}) ;;
            esac
            local code=$?; printf '\nexit %s\n' $code >>$side.out
        }

        """#

    /// Prints whether everything was the same, or else the differences, and last how many calls succeeded.
    static let conclusion = #"""
        cmp -s with.out without.out && cmp -s with.err without.err && echo same ||
            for name in out err; do diff -a -U4 with.$name without.$name | head -c 2000; done
        grep -a -c '^exit 0$' with.out

        """#
}
