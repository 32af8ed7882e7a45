import Keyutils

/// The encoding of texts, as far as the locale's name shows it.
package enum TextEncoding {
    /// Whether shells read texts as UTF-8, or each byte alone.
    ///
    /// In GBK, Big5, Shift-JIS and others, a byte that isn't ASCII can make the next ones part of its character, such as
    /// a backslash. In GB18030 and EUC-TW, bash even takes a quote that ends an incomplete character for a part of it.
    package static var isUsual: Bool {
        let names = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { try? Variable.value($0) }
        guard let name = names.first?.lowercased(), !name.contains("utf") else { return true }
        // Without an encoding in its name, a locale of these languages has one of several bytes.
        return !["zh", "ja", "ko"].contains(where: name.hasPrefix)
            && !["gb", "big5", "jis", "euc", "johab"].contains(where: name.contains)
    }
}
