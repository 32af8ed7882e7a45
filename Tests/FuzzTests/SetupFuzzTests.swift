import Foundation
import Keyutils
import TestSupport
import Testing

import skr

/// Tests of damaged configurations.
///
/// A configuration that was valid before is valid afterwards, and install and uninstall together change no byte.
@Suite("Fuzzing: configurations of clients", .tags(.long))
struct SetupFuzzTests {
    private static func edited(_ text: [UInt8], _ edit: TextEdit) -> [UInt8] {
        edit.apply(to: text.span.bytes).withBytes { $0.withUnsafeBytes { Array($0) } }
    }

    private static func bytes(_ removal: SetupRemoval?) -> [UInt8]? {
        guard case .text(let rest) = removal else { return nil }
        return rest.bytes.withBytes { $0.withUnsafeBytes { Array($0) } }
    }

    /// Parses an object; `nil` if the text is not an object, or if `JSONSerialization` would misread it.
    ///
    /// `JSONSerialization` drops a byte order mark at the beginning of a string.
    private static func object(_ text: [UInt8]) -> [String: Any]? {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        guard text[(text.starts(with: mark) ? mark.count : 0)...].firstRange(of: mark) == nil else { return nil }
        // docker treats an empty file like one without settings.
        return text.isEmpty ? [:] : try? JSONSerialization.jsonObject(with: Data(text)) as? [String: Any]
    }

    @Test("install adds a member to docker's object, and uninstall restores the same bytes")
    func docker() {
        Fuzzer(
            "docker's configuration",
            samples: [
                "{}", "{\n}\n", #"{"auths":{}}"#, "{\r\n\t\"auths\": {\r\n\t}\r\n}", "{ \"a\" : [1, \"\\u00e9\"] }\n",
                "\r{\r\"a\":null\r}", #"{"credsStore":""}"#, #"{"credHelpers":{"a":"b"},"psFormat":"x"}"#, "",
                "{\n\t\"auths\": {\n\t\t\"r\": {\n\t\t\t\"auth\": \"eDp5\"\n\t\t}\n\t},\n\t\"x\": 1\n}",
            ],
            tokens: [
                "\"credsStore\": \"skr\"", "\"credsStore\"", "\"CREDSSTORE\":\"pass\"", "\"a\":1,", ",", "[", "]", "{",
                "}", "null",
            ]
        ).run { input, _ in
            guard let edit = try? DockerSetup().edit(input.span.bytes) else { return nil }
            let after = Self.edited(input, edit)
            guard var before = Self.object(input) else { return nil }
            guard let object = Self.object(after) else { return "the edited file is not valid JSON" }
            before["credsStore"] = "skr"
            guard NSDictionary(dictionary: before) == NSDictionary(dictionary: object) else {
                return "another member changed"
            }
            guard try DockerSetup().edit(after.span.bytes) == nil else { return "a second edit changes the file" }
            return Self.bytes(try DockerSetup().removal(from: after.span.bytes)) == input
                ? nil : "removal does not restore the bytes"
        }
    }

    @Test("install adds a section for git, and uninstall restores the same bytes")
    func gitLines() {
        Fuzzer(
            "git's configuration",
            samples: [
                "", "[user]\n\tname = x\n", "[user]\r\n\tname = x\r\n", "[credential]\n\thelper = store\n",
                "[credential]",
                "[credential]\n\thelper = skr\n", "# c\n\n[a \"b\"]\n\tc = \"d ; e\" # f\n\tg = h\\\n i\n", "\r", "\n",
            ],
            tokens: [
                "[credential]", "\thelper = skr", "\r\n", "\\\n", "\"", "[credential]\n\thelper = skr\n", ";", "#",
            ]
        ).run { input, random in
            let value =
                ["skr", "skr --timeout 8h", "/home/a b/git-credential-skr", "skr --namespace 'a;b'"]
                .randomElement(using: &random) ?? ""
            let after = Self.edited(input, GitLines.addition(of: value, to: input.span.bytes))
            return Self.bytes(GitLines.removal(of: value, from: after.span.bytes)) == input
                ? nil : "removal does not restore the bytes"
        }
    }

    /// Runs a script with `skr`, in a home folder whose `.local/bin` is in PATH.
    private func run(_ script: String) throws -> String {
        let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let skr =
            ProcessInfo.processInfo.environment["SKR_TEST_EXECUTABLE"]
            ?? URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("skr").path
        let outcome = try ChildProcess.run(
            "/bin/bash",
            [
                "-c",
                """
                set -u; work=$(mktemp -d); mkdir -p $work/home $work/program; cd $work; ln -s "$SKR" program/skr
                export HOME=$work/home PATH=$work/home/.local/bin:$work/program:/usr/bin:/bin GIT_CONFIG_NOSYSTEM=1 RANDOM=0
                unset XDG_CONFIG_HOME GIT_CONFIG_GLOBAL DOCKER_CONFIG; RANDOM=$SEED
                \(script)
                rm -r $work
                """,
            ], environment: ChildProcess.environment(["SKR": skr, "SEED": "\(Fuzzer.seed % 32_768)"]), input: Data(),
            within: .seconds(600))
        // The shell reports the commands that were killed.
        let lines = String(decoding: outcome.output + outcome.errors, as: UTF8.self).split(separator: "\n")
        return lines.filter { !$0.contains(" Killed ") && !$0.contains(" Terminated ") }.joined(separator: "\n")
    }

    @Test("git reads its old entries and our helper, and uninstall restores the same bytes")
    func git() throws {
        let output = try run(
            #"""
            entries() { git config -z --list --file - < $1 2> /dev/null | sha256sum; }
            pieces=('[user]' '[credential]' '\thelper = store' '\thelper =' 'helper' '\tname = "x ; y" # z' '\tlong = a\\' '  b' '# c' '' '\r' '[a "b\\"c"]' '"' '\thelper = !f() { echo x; }; f' '[include]' '\tpath = none' '[credential "https://h"]' '[' ']' '\\' '= x' '\xef\xbb\xbf')
            ends=('\n' '\n' '\n' '\n' '\r\n' '')
            done=0
            for n in $(seq 100); do
                : > home/.gitconfig; count=$((RANDOM % 7)); for piece in $(seq $count); do printf "${pieces[RANDOM % ${#pieces[@]}]}${ends[RANDOM % ${#ends[@]}]}" >> home/.gitconfig; done
                cp home/.gitconfig before; git config --list --file - < before > /dev/null 2>&1; valid=$?
                skr helper install git --write-config > log 2>&1; code=$?
                if [ $code = 0 ]; then
                    done=$((done + 1)); [ $valid = 0 ] || { echo "seed $SEED, $n: set up a file that git can't read"; cat before; }
                    [ "$( (git config -z --list --file - < before; printf 'credential.helper\nskr\0') | sha256sum)" = "$(entries home/.gitconfig)" ] || { echo "seed $SEED, $n: git reads a different change"; cat -A before; }
                else
                    cmp before home/.gitconfig || echo "seed $SEED, $n: refused the file, but changed it"
                fi
                skr helper uninstall git --write-config > log 2>&1; cmp before home/.gitconfig || { echo "seed $SEED, $n: uninstall does not restore the bytes"; cat -A before; }
                ls -A home | grep -v '^.gitconfig$\|^.local$'
            done
            [ $done -ge 10 ] || echo "only $done of 100 were set up"
            """#)
        #expect(output == "", "\(output)")
    }

    @Test("installs and uninstalls at the same time, some killed, leave valid files without duplicates")
    func storm() throws {
        let output = try run(
            #"""
            f=home/.docker/config.json; g=home/.gitconfig; mkdir home/.docker; signals=(TERM KILL INT KILL); clients=(git docker); verbs=(uninstall install install)
            echo '{"auths":{"r":{"auth":"eDp5"}}}' > $f; printf '[user]\n\tname = x' > $g; cp $f docker-before; cp $g git-before
            for n in $(seq 25); do
                pids=(); for m in 1 2 3 4 5 6; do
                    client=${clients[RANDOM % 2]}; verb=${verbs[RANDOM % 3]}
                    skr helper $verb $client --write-config > /dev/null 2>&1 & pids+=($!)
                done
                for m in 1 2 3; do sleep 0.0$((RANDOM % 3))$((RANDOM % 10)); kill -${signals[RANDOM % 4]} ${pids[RANDOM % 6]} 2> /dev/null; done
                jq -e '.auths.r.auth == "eDp5"' $f > /dev/null || { echo "$n: damaged"; cat $f; }
                [ "$(git config --file $g user.name)" = x ] || { echo "$n: damaged"; cat $g; }
                wait
                [ "$(git config --file $g --get-all credential.helper | grep -c .)" -le 1 ] || { echo "$n: several"; cat $g; }
                [ "$(grep -o credsStore $f | wc -l)" -le 1 ] || { echo "$n: several"; cat $f; }
            done
            for client in git docker; do skr helper install $client --write-config > log 2>&1 || cat log; skr helper uninstall $client --write-config > log 2>&1 || cat log; done
            cmp $f docker-before; cmp $g git-before; ls -A home home/.docker | grep skr
            """#)
        #expect(output == "", "\(output)")
    }
}
