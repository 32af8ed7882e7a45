/// A value of git's `credential.helper` in the form that 'skr helper install' writes.
///
/// It is our name or the path of our link, followed by options.
struct GitHelperValue {
    let text: String
    /// The text after the program, starting with the space.
    let options: String

    /// Parses a value; `nil` if it names another helper.
    init?(_ text: String) {
        let isPath = text.hasPrefix("/")
        guard let program = text.firstRange(of: isPath ? "/git-credential-skr" : "skr") else { return nil }
        // The path can be in quotes.
        let rest = text[program.upperBound...].drop { isPath && $0 == "'" }
        guard isPath || program.lowerBound == text.startIndex, rest.isEmpty || rest.first == " " else { return nil }
        self.text = text
        options = String(rest)
    }

    /// Returns a regular expression that matches only these values.
    static func pattern(_ values: [GitHelperValue]) -> String {
        guard values.contains(where: { $0.text.hasPrefix("/") }) else { return "^skr( .*)?$" }
        let texts = values.map { $0.text.map { #"\.[]{}()*+?^$|"#.contains($0) ? "\\\($0)" : String($0) }.joined() }
        return "^(\(texts.joined(separator: "|")))$"
    }
}
