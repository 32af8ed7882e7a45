/// A value of git's `credential.helper` as 'skr helper install' writes it: our name or our link's path, and options.
struct GitHelperValue {
    let text: String
    /// The text after the program, from the space on.
    let options: String

    /// `nil` for another helper's.
    init?(_ text: String) {
        let isPath = text.hasPrefix("/")
        guard let program = text.firstRange(of: isPath ? "/git-credential-skr" : "skr") else { return nil }
        // The path may be in quotes.
        let rest = text[program.upperBound...].drop { isPath && $0 == "'" }
        guard isPath || program.lowerBound == text.startIndex, rest.isEmpty || rest.first == " " else { return nil }
        self.text = text
        options = String(rest)
    }

    /// A regular expression that matches these values only.
    static func pattern(_ values: [GitHelperValue]) -> String {
        guard values.contains(where: { $0.text.hasPrefix("/") }) else { return "^skr( .*)?$" }
        let texts = values.map { $0.text.map { #"\.[]{}()*+?^$|"#.contains($0) ? "\\\($0)" : String($0) }.joined() }
        return "^(\(texts.joined(separator: "|")))$"
    }
}
