import CommandSupport
import Foundation
import TestSupport
import Testing

@testable import skr

@Suite("Every client of skr helper")
struct HelperClientTests {
    @Test("each client takes the usual options, except one whose words are a text")
    func options() {
        for client in HelperClients.all {
            let names = VerbCall(client, names: ["skr", "helper", client.name]).arguments.map(\.name)
            let usual = ["--timeout", "--scope", "--namespace"]
            #expect(usual.allSatisfy(names.contains) != client.takesText, "\(client.name)")
        }
    }

    @Test("no two clients have the same name or link")
    func names() {
        let links = HelperClients.all.compactMap { $0.start.linkName(registry: "x") }
        let names = HelperClients.allNames + ["install", "uninstall", "status"]
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
            #expect(paragraphs.count > 1 && client.examples.split(separator: "\n").count == 3, "\(client.name)")
            let line = "  \(client.name)\(String(repeating: " ", count: 24 - client.name.count))\(client.summary)\n"
            #expect(list.contains(line), "\(client.name)")
            if let alias = client.aliases.first { #expect(try shown("helper \(alias) -h") == help) }
        }
    }

    @Test("a client's examples work as printed, one after another")
    func examples() throws {
        for client in HelperClients.all {
            let outcome = try HelperInstallTests().run("set -e\n\(client.examples)\necho all of them")
            #expect(outcome.output.hasSuffix("all of them\n"), "\(client.name): \(outcome)")
        }
    }

    @Test("some clients refuse to run a command", arguments: ["git", "docker", "cargo", "ansible", "bazel"])
    func command(client: String) throws {
        let words = ["cargo", "ansible"].contains(client) ? [] : ["get"]
        let outcome = try CommandRunner().run(["helper", client] + words + ["--", "true"], input: Data())
        let errors = outcome.errors + outcome.output
        #expect(
            outcome.exitCode != 0 && errors.contains("too many words")
                && errors.contains("remove '--' and the words after it"), "\(outcome)")
    }
}
