import CommandSupport
import Glibc

/// A bar that fills from the left.
enum ProgressBar {
    case ascii, blocks

    /// As the terminal's character set has it.
    static var wanted: ProgressBar {
        let names = ["LC_ALL", "LC_CTYPE", "LANG"]
        let locale = names.lazy.compactMap { name in
            unsafe getenv(name).map { unsafe String(cString: $0) }
        }.first { !$0.isEmpty }
        let text = (locale ?? "").uppercased()
        return text.contains("UTF-8") || text.contains("UTF8") ? .blocks : .ascii
    }

    func text(_ fraction: Double, width: Int, style: TextStyle) -> String {
        let share = fraction.isFinite ? min(max(fraction, 0), 1) : 0
        switch self {
        case .ascii:
            let full = Int((share * Double(width - 2)).rounded(.down))
            let rest = String(repeating: ".", count: width - 2 - full)
            return "[" + style.paint(String(repeating: "#", count: full), .green) + rest + "]"
        case .blocks:
            let full = Int((share * Double(width)).rounded(.down))
            return style.paint(String(repeating: "━", count: full), .green)
                + String(repeating: "┄", count: width - full)
        }
    }
}
