/// A command's discussion, taken apart as our help texts are written.
///
/// A section begins with a title in capitals and a colon; what is indented stays as it is.
struct HelpText {
    enum Block {
        case paragraph(String)
        case literal([String])
    }

    struct Section {
        let title: String
        var blocks: [Block] = []
    }

    /// What stands before the first title, without one, and then each section.
    private(set) var sections = [Section(title: "")]

    init(_ discussion: String) {
        for line in discussion.split(separator: "\n", omittingEmptySubsequences: false) { read(line) }
    }

    func section(_ title: String) -> Section? {
        sections.first { $0.title == title }
    }

    private mutating func read(_ line: Substring) {
        var text = line
        if let title = Self.title(of: line) {
            sections.append(Section(title: String(title)))
            text = line.dropFirst(title.count + 1).drop { $0 == " " }
        }
        guard !text.isEmpty else { return }
        guard text.hasPrefix("  ") else {
            // Behind its title, a sentence goes on; without it, it begins.
            let sentence =
                text.startIndex == line.startIndex ? "\(text)" : text.prefix(1).uppercased() + text.dropFirst()
            sections[sections.count - 1].blocks.append(.paragraph(sentence))
            return
        }
        append(literal: String(text.dropFirst(2)))
    }

    private mutating func append(literal line: String) {
        let last = sections.count - 1
        if case .literal(let lines) = sections[last].blocks.last {
            sections[last].blocks.removeLast()
            sections[last].blocks.append(.literal(lines + [line]))
        } else {
            sections[last].blocks.append(.literal([line]))
        }
    }

    private static func title(of line: Substring) -> Substring? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let title = line[..<colon]
        let isTitle = title.count > 2 && title.allSatisfy { $0.isUppercase || $0 == " " || $0 == "," }
        return isTitle && !title.hasPrefix(" ") ? title : nil
    }
}
