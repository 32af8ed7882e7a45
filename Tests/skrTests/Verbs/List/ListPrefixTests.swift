import Testing

@Suite("skr list with a service that ends in '*'")
struct ListPrefixTests: ScriptTests {
    @Test("list shows all names with the prefix, even one with a '*'; clear takes only the exact name")
    func prefix() throws {
        try expect(
            #"""
            for name in svc svc-1 'svc-*' sv 'é-1'; do printf 1 | skr set "$name"; done; skr cached svc-2 --timeout 5m -- true
            names() { skr list "$@" | cut -f 2 | tr '\n' ' '; echo; }
            names 'svc-*'; names 'svc*'; names '*'; names svc; names 'é*'; names 'none*'; names 'svc-**'; names $'e\u0301*'
            skr clear 'svc-*'; names 'svc*'
            """#,
            onlyPrints: """
                svc-2 svc-* svc-1\u{20}
                svc-2 svc svc-* svc-1\u{20}
                svc-2 sv svc svc-* svc-1 é-1\u{20}
                svc\u{20}
                é-1\u{20}

                svc-*\u{20}

                svc-2 svc svc-1\u{20}

                """)
    }
}
