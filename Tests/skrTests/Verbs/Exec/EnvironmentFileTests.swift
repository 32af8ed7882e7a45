import CommandSupport
import Testing

import skr

@Suite("Env files")
struct EnvironmentFileTests {
    private func plain(_ text: String) throws -> [String] {
        try EnvironmentFile(parsing: Array(text.utf8), path: "f").variables.map { variable in
            guard case .plain(let value) = variable.value else { return "\(variable.name) is not plain" }
            return "\(variable.name)=\(String(decoding: value, as: UTF8.self))"
        }
    }

    @Test(
        "lines are read as docker and dotenv read them",
        arguments: [
            ("A=1", ["A=1"]), ("A=1\nB=2\n", ["A=1", "B=2"]), ("A=1\r\nB=2\r\n", ["A=1", "B=2"]),
            ("", []), ("\n \n\t\n# comment\n  # A=1\n#\n", []), ("  A=1", ["A=1"]),
            ("export A=1", ["A=1"]), ("export\t A=1", ["A=1"]), ("exported=1", ["exported=1"]),
            ("export=1", ["export=1"]),
            ("A=", ["A="]), ("A= ", ["A="]), ("A=  x y  ", ["A=x y"]), ("A=x=y", ["A=x=y"]),
            ("A=x # c", ["A=x"]), ("A=x#c", ["A=x#c"]), ("A=#c", ["A=#c"]), ("A= # c", ["A="]),
            ("A=$B${C}`d`", ["A=$B${C}`d`"]), (#"A=a\nb"#, [#"A=a\nb"#]), ("A=it's", ["A=it's"]),
            (#"A=x"y"#, [#"A=x"y"#]),
            (#"A='a "b" \n # $c'"#, [#"A=a "b" \n # $c"#]), ("A=''", ["A="]), ("A='x' # c", ["A=x"]),
            ("A=\"\"", ["A="]),
            (#"A="a\nb\tc\"d\\e\$f$g # h""#, ["A=a\nb\tc\"d\\e$f$g # h"]), (#"A="a\qb\'""#, [#"A=a\qb\'"#]),
            (#"A=" x "  "#, ["A= x "]), ("A=é", ["A=é"]), ("\u{FEFF}A=1", ["A=1"]), ("_a9=1", ["_a9=1"]),
            (#"A="a\rb""#, ["A=a\rb"]), ("A=abcd e", ["A=abcd e"]),
            ("A=1\nA=2", ["A=1", "A=2"]), ("A=x skr:/y", ["A=x skr:/y"]), ("A=x skr://api", ["A=x skr://api"]),
        ] as [(String, [String])]
    )
    func plainValues(text: String, expected: [String]) throws {
        #expect(try plain(text) == expected)
    }

    @Test(
        "a value that starts with skr:// is a reference, however it is quoted",
        arguments: ["A=skr://db/al", "A= skr://db/al # comment", "A='skr://db/al'", #"export A="skr://db/al""#]
    )
    func references(text: String) throws {
        let expected = EnvironmentVariable(name: "A", value: .secret(SecretReference(service: "db", account: "al")))
        #expect(try EnvironmentFile(parsing: Array(text.utf8), path: "f").variables == [expected])
    }

    @Test(
        "any other line is an error that names file and line but does not show the line",
        arguments: [
            "hunter2", "A hunter2", "1A=hunter2", "=hunter2", "A =hunter2", "A-B=hunter2", "é=hunter2", "export A",
            "A='hunter2", "A=\"hunter2", #"A="hunter2\""#, #"A="hunter2\"#, "A='hunter2'x", "A=\"hunter2\"'x'",
            "A=hunter2\0", "A=skr://hunter2/b/c", "A=skr://hunter2#", "A=skr:/hunter2", "A='skr:hunter2'",
            "export =hunter2", "export export A=hunter2",
        ]
    )
    func bad(line: String) throws {
        let error = #expect(throws: CommandError.self) { try plain("OK=1\n\n\(line)\nOK=2") }
        #expect(error?.exitCode == .data)
        #expect(error?.message.hasPrefix("f:3: ") == true)
        #expect(error?.hint != nil)
        #expect(error?.message.contains("hunter2") == false)
        #expect(error?.hint?.contains("hunter2") == false)
    }

    @Test("bytes that aren't UTF-8 are passed on unchanged")
    func bytes() throws {
        let file = try EnvironmentFile(parsing: Array("A=".utf8) + [0xFF, 0x80], path: "f")
        #expect(file.variables == [EnvironmentVariable(name: "A", value: .plain([0xFF, 0x80]))])
    }
}
