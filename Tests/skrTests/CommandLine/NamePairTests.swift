import Keyutils
import TestSupport
import Testing
import Threads

@Suite("skr and names that are equal as characters, or but for their case")
struct NamePairTests {
    private static let pairs = {
        print("pairs of names: seed \(testSeed)")
        var random = Choices(seed: testSeed, stream: 5)
        return (0..<3).map { _ in NamePair(using: &random) }
    }()

    private func expect(_ script: String, _ pair: NamePair, prints output: String) throws {
        try CommandRunner().inSession(
            CommandRunner.waits + script, environment: ["A": pair.first, "B": pair.second], prints: output)
    }

    @Test("are different items for every verb", arguments: pairs)
    func items(pair: NamePair) throws {
        let ways = [
            ("service", #"skr $1 "$2""#), ("account", #"skr $1 a "$2""#), ("namespace", #"skr $1 -n "$2" n"#),
            ("variable", #"SKR_NAMESPACE="$2" skr $1 v"#), ("reference", #"skr $1 "skr://r/$2""#),
        ]
        let script = ways.map { title, line in
            #"""
            call() { \#(line); }
            echo -n \#(title); printf 1 | call set "$A"; call delete "$B" || printf 2 | call set "$B"
            echo " $(call get "$A") $(call get "$B")"; call delete "$A"; call get "$A" || echo " $(call get "$B")"

            """#
        }
        try expect(script.joined(), pair, prints: ways.map { "\($0.0) 1 2\n 2\n" }.joined())
    }

    @Test("are different names in references, fields, and the words of list, clear, cached and lock", arguments: pairs)
    func words(pair: NamePair) throws {
        try expect(
            #"""
            for name in A B; do printf $name | skr set "${!name}"; done; printf '{"p":{"%s":"1","%s":"2"}}' "$A" "$B" | skr set json
            for name in "$A" "$B"; do
                skr exec --env V="skr://$name" -- printenv V; skr env --env V="skr://$name"
                printf '{{ skr://%s }}\n' "$name" | skr inject; skr get json --field "p.$name"; echo
                skr list "$name" | wc -l; skr list "$name*" | wc -l
            done
            skr clear "$A" --yes; skr get "$A" || skr get "$B"; echo
            keep() { value=$1 skr cached "${@:2}" --timeout 5m -- printenv value; }
            for i in 1 2; do keep a$i c --key "$A"; keep b$i c --key "$B"; keep c$i "$A"; keep d$i "$B"; done
            skr cached --forget c --key "$A"; keep b3 c --key "$B"; keep a3 c --key "$A"
            export SKR_SCOPE=session; skr lock "$A" -- bash -c 'skr lock "$B" --wait 0 -- echo free; skr lock "$A" --wait 0 -- echo both; echo $?'
            """#, pair,
            prints: """
                A\nexport V='A'\nA\n1\n1\n1\nB\nexport V='B'\nB\n2\n1\n1\nB
                a1\nb1\nc1\nd1\na1\nb1\nc1\nd1\nb1\na3\nfree\n75

                """)
    }

    @Test("an option's value can begin with a combining character, as can a namespace of a helper and of completion")
    func joinedValues() throws {
        let pair = NamePair(first: "\u{301}x", second: "\u{301}X", isCase: true)
        try expect(
            #"""
            printf 1 | skr set --namespace="$A" s; skr get -n "$A" s; printf 2 | skr set -n="$B" other; skr get --namespace "$B" other
            printf 'protocol=https\nhost=h\nusername=u\npassword=p\n' | skr helper git --namespace="$A" store
            for name in "$A" "$B"; do skr list -n "$name" | wc -l; skr ---complete zsh skr get --namespace="$name" '' | tail -n +2 | wc -l; done
            """#, pair, prints: "122\n2\n1\n1\n")
    }

    @Test("are different sessions", arguments: pairs)
    func sessions(pair: NamePair) throws {
        // A session's name can't have invisible characters.
        let names = [pair.first, pair.second].map { name in
            name.unicodeScalars.filter { $0.properties.generalCategory != .format }.map { String($0) }.joined()
        }
        let pair = NamePair(first: names[0], second: names[1], isCase: pair.isCase)
        try expect(
            #"""
            export work=$(mktemp -d); trap 'rm -rf $work' EXIT; A=$SKR_NAMESPACE$A; B=$SKR_NAMESPACE$B
            for name in A B; do
                printf $name | skr session --name "${!name}" -- bash -c 'skr set s; echo $$ > $work/$0; exec sleep 60' $name & filled $work/$name
            done
            look() { skr session --name "$1" -- skr get s; echo; }
            look "$A"; look "$B"; skr session --end "$A"; look "$A"; look "$B"; skr session --end "$B"; kill $(cat $work/A $work/B)
            """#, pair, prints: "A\nB\n\nB\n")
    }

    @Test("are different sources, also after a byte order mark at the beginning of the file", arguments: pairs)
    func sources(pair: NamePair) throws {
        try SourcesUnderTest.run(
            "\u{FEFF}'\(pair.first)' --timeout 5m -- echo 1",
            #"""
            skr get "$B" 2>/dev/null || skr get "$A"; echo; skr delete "$A"
            printf "'%s' --timeout 5m -- echo %s\n" "$A" a "$B" b > $sources; skr get "$B"; skr get "$A"; echo
            """#, environment: ["A": pair.first, "B": pair.second], prints: "1\nba\n")
    }
}
