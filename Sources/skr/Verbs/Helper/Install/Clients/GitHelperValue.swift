/// A value of git's `credential.helper` as 'skr helper install' writes it.
struct GitHelperValue {
    let text: String
    /// What stands behind the program, from the space on.
    let options: String

    /// `nil` for another helper's.
    init?(_ text: String) {
        var (word, isQuoted, isEscaped) = ("", false, false)
        var end = text.startIndex
        for character in text {
            if isEscaped {
                word.append(character)
                isEscaped = false
            } else if character == "'" {
                isQuoted.toggle()
            } else if !isQuoted, character == "\\" {
                isEscaped = true
            } else if !isQuoted, character == " " {
                break
            } else {
                word.append(character)
            }
            end = text.index(after: end)
        }
        let isPath = text.hasPrefix("/") && word.hasSuffix("/git-credential-skr")
        guard text[..<end] == "skr" || isPath else { return nil }
        self.text = text
        options = String(text[end...])
    }

    /// What these alone match, for git.
    static func pattern(_ values: [GitHelperValue]) -> String {
        guard values.contains(where: { $0.text.hasPrefix("/") }) else { return "^skr( .*)?$" }
        return "^(\(values.map { escaped($0.text) }.joined(separator: "|")))$"
    }

    private static func escaped(_ text: String) -> String {
        text.map { #"\.[]{}()*+?^$|"#.contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}
