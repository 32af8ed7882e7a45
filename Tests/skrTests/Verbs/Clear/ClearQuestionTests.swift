import Testing

@Suite("skr clear on a terminal")
struct ClearQuestionTests {
    private func clear(_ command: String, typing keys: String, asking question: String) throws -> String {
        try TerminalRunner().run(
            "export SKR_NAMESPACE=; for name in a b; do skr set $name < <(printf 1); done; \(command); echo rc=$?; "
                + "skr list | cut -f 2",
            answering: [.init(prompt: question, keys: keys)])
    }

    @Test("it asks, and deletes after a yes", arguments: ["y\n", "Yes\n"])
    func yes(keys: String) throws {
        // The question shows even if standard error is redirected.
        let shown = try clear("skr clear 2>/dev/null", typing: keys, asking: "delete 2 items? [y/N] ")
        #expect(shown.hasSuffix("rc=0\n"), "\(shown)")
    }

    @Test("any other answer deletes nothing")
    func no() throws {
        let answers = ["\n", "n\n", "yesterday\n", "\u{4}"]
        let shown = try TerminalRunner().run(
            "export SKR_NAMESPACE=; for name in a b; do skr set $name < <(printf 1); done; "
                + "for i in {1..\(answers.count)}; do skr clear; echo rc=$?; done; skr list | cut -f 2",
            answering: answers.map { .init(prompt: "delete 2 items? [y/N] ", keys: $0) })
        let refusal = "skr: error: nothing was deleted\nskr: hint: answer y, or add --yes\nrc=64\n"
        #expect(shown.ranges(of: refusal).count == answers.count, "\(shown)")
        #expect(shown.hasSuffix("rc=64\na\nb\n"), "\(shown)")
    }

    @Test(
        "it does not ask with --yes, for a service, without items, or if standard input is not a terminal",
        arguments: [
            "skr clear --yes", "skr clear a; skr clear b", "skr clear -n none; skr clear --yes", "skr clear </dev/null",
        ])
    func unasked(command: String) throws {
        let shown = try clear(command, typing: "n\n", asking: "[y/N]")
        #expect(shown.hasSuffix("rc=0\n") && !shown.contains("[y/N]"), "\(shown)")
    }
}
