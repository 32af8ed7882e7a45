import Testing

import CommandSupport

@Suite("Columns on a terminal")
struct DisplayWidthTests {
    @Test(
        "a text's width is the number of columns that a terminal uses",
        arguments: [
            ("", 0), ("api", 3), ("\u{E9}", 1), ("e\u{301}", 1), ("密码", 4), ("パスワード", 10), ("ﾊﾟ", 2), ("비밀", 4),
            ("\u{1112}\u{1161}\u{11AB}", 2), ("🔑", 2), ("🔑api", 5), ("👩🏽", 2), ("🇩🇪", 2), ("❤\u{FE0F}", 2), ("❤", 1),
            ("ключ", 4), ("Ｆ", 2), ("a\u{300}\u{301}b", 2), ("1", 1), ("𠀀", 2), ("—", 1),
        ]
    )
    func columns(text: String, width: Int) {
        #expect(DisplayWidth.of(text) == width, "\(text)")
    }
}
