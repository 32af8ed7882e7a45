import Foundation
import Testing

/// Locales in which a shell can read a quote or a backslash as a part of a character.
enum TestedLocales {
    static let names = "zh_CN.GBK zh_CN.GB18030 zh_TW.BIG5 zh_TW.EUC-TW ja_JP.WINDOWS-31J ja_JP.SHIFT_JISX0213"
    static let areThere = FileManager.default.fileExists(atPath: "/usr/share/i18n/charmaps/GBK.gz")
    static let comment: Comment = "needs Debian's package locales"

    /// Shell commands that make these locales for the shell's children, and that set `$locales` to their names.
    static let making = #"""
        export LOCPATH=$(mktemp -d); trap 'rm -rf $LOCPATH' EXIT
        for name in \#(names); do
            localedef -i ${name%.*} -f ${name#*.} $LOCPATH/$name >/dev/null 2>&1
            [ "$(LC_ALL=$name locale charmap)" = ${name#*.} ] && locales+="${locales:+ }$name"
        done

        """#
}
