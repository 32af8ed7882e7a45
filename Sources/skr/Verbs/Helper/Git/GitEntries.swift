import Keyutils
import SecretText

/// The entries of a text in git's format, as git itself reads them.
struct GitEntries {
    /// All entries; each is its name, a newline, its value and a NUL.
    let output: SecretBox
    /// The values of `credential.helper`, and the ranges of their entries.
    private(set) var helpers: [(value: String, range: Range<Int>)] = []

    init(of text: RawSpan) throws(SetupRefusal) {
        let run: ToolRun
        do {
            run = try ToolRun(["git", "config", "-z", "--list", "--file", "-"], input: text)
        } catch {
            throw .unclear(error.message, hint: error.hint)
        }
        guard !run.isMissing else { throw .noProgram("git") }
        guard run.exitCode == 0 else {
            throw .unclear(
                "git can't read it", hint: "git has printed the reason; to edit the file: git config --global --edit")
        }
        output = SecretBox(run.output)
        output.bytes.withBytes { bytes in
            let name = Array("credential.helper\n".utf8)
            var start = 0
            while let end = bytes.offset(of: 0, from: start) {
                let entry = bytes.extracting(start..<end)
                if entry.starts(with: name) {
                    helpers.append((String(lossy: entry.extracting(droppingFirst: name.count)), start..<(end + 1)))
                }
                start = end + 1
            }
        }
    }

    /// The values that git uses: those after the last empty one.
    var effective: [String] {
        helpers.map(\.value).split(separator: "", omittingEmptySubsequences: false).last.map(Array.init) ?? []
    }

    /// Returns the entry of a helper.
    static func entry(_ value: String) -> String { "credential.helper\n\(value)\0" }

    /// Refuses a text unless git reads from it exactly these entries with this edit.
    ///
    /// - Parameters:
    ///   - edit: the expected change of the entries.
    ///   - text: the text after the edit.
    func require(_ edit: TextEdit, after text: RawSpan) throws(SetupRefusal) {
        let expected = output.bytes.withBytes { edit.apply(to: $0) }
        guard try GitEntries(of: text).output.bytes.isEqual(to: expected) else {
            throw .unclear("the edit would change more than its credential.helper")
        }
    }
}
