import CommandSupport
import Foundation
import TestSupport
import Testing

@testable import skr

@Suite("Every client of skr helper")
struct HelperClientTests {
    @Test("help, completion and manual page have the options that a call accepts")
    func options() throws {
        let helper = try CommandDefinition(of: RootCommand.self).verb(named: "helper")
        for client in HelperClients.all {
            let definition = try #require(helper?.verb(named: client.name))
            let shown = definition.options.filter { !$0.isForEveryVerb }.compactMap(\.spelling)
            switch client.words {
            case .text: #expect(shown == [], "\(client.name)")
            case .options(let own, let flags, let behind):
                #expect(Set(shown) == Set(own + flags + ["--timeout", "--scope", "--namespace"]), "\(client.name)")
                #expect((definition.launched != nil) == (behind == .command), "\(client.name)")
            }
        }
    }

    @Test("no two clients have the same name or link")
    func names() {
        let links = HelperClients.all.compactMap { $0.start.linkName(registry: "x") }
        let names = HelperClients.allNames + HelperCommand.ownVerbs
        #expect(Set(names).count == names.count && Set(links).count == links.count)
    }

    @Test("a client's help has three examples and short paragraphs, and the list has a line for it")
    func help() throws {
        func shown(_ words: String) throws -> String {
            try CommandRunner().shell("skr \(words)", environment: ["COLUMNS": "80"]).output
        }
        let list = try shown("helper --help")
        #expect(try shown("help helper git") == shown("helper git --help"))
        for client in HelperClients.all {
            let help = try shown("helper \(client.name) --help")
            let paragraphs = help.prefix(upTo: try #require(help.firstRange(of: "USAGE: ")?.lowerBound)).split(
                separator: "\n\n")
            for paragraph in paragraphs { #expect(paragraph.split(separator: "\n").count <= 4, "\(paragraph)") }
            #expect(paragraphs.count > 1 && client.verb.examples.split(separator: "\n").count == 3, "\(client.name)")
            let line = "  \(client.name)\(String(repeating: " ", count: 24 - client.name.count))\(client.summary)\n"
            #expect(list.contains(line), "\(client.name)")
            if let alias = client.aliases.first { #expect(try shown("helper \(alias) -h") == help) }
        }
    }

    @Test("a client's examples work as printed, one after another")
    func examples() throws {
        for client in HelperClients.all {
            let outcome = try HelperInstallTests().run("set -e\n\(client.verb.examples)\necho all of them")
            #expect(outcome.output.hasSuffix("all of them\n"), "\(client.name): \(outcome)")
        }
    }

    @Test("some clients refuse to run a command", arguments: ["git", "docker", "cargo", "ansible", "netrc", "bazel"])
    func command(client: String) throws {
        let outcome = try CommandRunner().run(["helper", client, "get", "--", "true"], input: Data())
        let errors = outcome.errors + outcome.output
        #expect(
            outcome.exitCode != 0 && errors.contains("the helper for \(client) doesn't run a command"), "\(outcome)")
    }
}
