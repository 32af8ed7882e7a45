import Keyutils

/// The encoding of texts, as far as the locale's name shows it.
package enum TextEncoding {
    /// Whether shells read texts as UTF-8, or each byte alone.
    ///
    /// In GBK, Big5, Shift-JIS and others, a byte that isn't ASCII can make the next ones part of its character, such as
    /// a backslash. In GB18030 and EUC-TW, bash even takes a quote that ends an incomplete character for a part of it.
    package static var isUsual: Bool {
        for variable in ["LC_ALL", "LC_CTYPE", "LANG"] where Variable.isSet(variable) {
            return isUsual((try? Variable.value(variable))?.lowercased() ?? "")
        }
        return true
    }

    private static func isUsual(_ locale: String) -> Bool {
        if locale.contains("utf") { return true }
        // Without an encoding in its name, a locale of these languages has one of several bytes.
        for language in ["zh", "ja", "ko"] where locale.hasPrefix(language) { return false }
        for encoding in ["gb", "big5", "jis", "euc", "johab"] where locale.contains(encoding) { return false }
        return true
    }
}
