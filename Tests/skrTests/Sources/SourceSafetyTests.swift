import Testing

@Suite("Which sources file is used")
struct SourceSafetyTests {
    @Test("sources can be turned off, or be in another file")
    func variables() throws {
        try SourcesUnderTest.run(
            "api --timeout 1m -- echo usual",
            #"""
            skr get --no-source api; echo $?; skr get api --no-source --field x; echo $?; SKR_SOURCES=none skr get api; echo $?
            SKR_SOURCES=rel skr get api; echo $?; echo 'api --timeout 1m -- echo other' > other
            SKR_SOURCES=$work/other skr get api; echo; skr delete api; mkdir -p x/skr; sed s/usual/xdg/ $sources > x/skr/sources
            XDG_CONFIG_HOME=$work/x skr get api; echo; skr delete api; XDG_CONFIG_HOME=x skr get api; echo; skr delete api
            HOME=rel skr get api; echo $?; SKR_SOURCES=$work/none skr get api; echo $?
            """#, prints: "1\n1\n1\n64\nother\nxdg\nusual\n1\n1\n")
    }

    @Test(
        "a file that others could have written is not used",
        arguments: [
            ("chmod g+w $sources", "chmod go-w W/home/.config/skr/sources"),
            ("chmod o+w $sources", "chmod go-w W/home/.config/skr/sources"),
            ("chmod g+w $HOME/.config/skr", "chmod go-w W/home/.config/skr"),
            ("chmod o+w $HOME", "chmod go-w W/home"),
            (
                "chmod g+w $sources $HOME/.config/skr",
                "chmod go-w W/home/.config/skr W/home/.config/skr/sources"
            ),
            ("rm $sources; mkfifo $sources", "name a file"), ("rm $sources; mkdir $sources", "name a file"),
            ("mkdir l; mv $sources l; chmod g+w l; ln -s $work/l/sources $sources", "chmod go-w W/l"),
            ("mv $sources s; mkdir l; ln -s ../s l/s; chmod g+w l; ln -s $work/l/s $sources", "chmod go-w W/l"),
            ("mkdir l; chmod g+w l; mv $sources s; ln -s $work/l/../s $sources", "chmod go-w W/l"),
            (
                "mv $sources $HOME/s; ln -s ../../s $sources; chmod 777 $HOME/.config $HOME/.config/skr",
                "chmod go-w W/home/.config W/home/.config/skr"
            ),
            ("chmod 1777 $HOME/.config/skr", "move the file to a folder of your own"),
            (
                "mkdir t; chmod 1777 t; mv $sources s; ln -s ../s t/s; ln -s $work/t/s $sources",
                "move the file to a folder of your own"
            ),
        ])
    func unsafe(change: String, hint: String) throws {
        let outcome = try SourcesUnderTest.run(
            "api --timeout 1m -- echo s",
            "\(change)\n"
                + #"skr get api 2>&1 | sed "s|$work|W|g"; echo ${PIPESTATUS[0]}; printf x | skr set api; skr get api"#)
        #expect(outcome.output.hasPrefix("skr: error: not using 'W/home/.config/skr/sources': "), "\(outcome)")
        #expect(outcome.output.hasSuffix("\nskr: hint: \(hint)\n77\nx"), "\(outcome)")
    }

    @Test("links and folders that others can add to, but not change, are accepted")
    func safe() throws {
        try SourcesUnderTest.run(
            "api --timeout 1m -- echo s",
            #"""
            mkdir -p dot shared/own; chmod 1777 shared; mv $sources dot/s; ln -s $work/dot/s shared/own/link
            ln -s $work/shared/own/../own/link $sources
            skr get api; echo; skr delete api; chmod 600 dot/s; chmod 700 $HOME; skr get api
            """#, prints: "s\ns")
    }

    @Test(
        "a file that is too large, or has a NUL byte, is an error",
        arguments: ["head -c 4194305 /dev/zero | tr '\\0' '#'", "printf 'a\\0'"])
    func content(command: String) throws {
        try SourcesUnderTest.run("", "\(command) > $sources; skr get api; echo $?", prints: "77\n")
    }

    @Test("the file can be an open descriptor, such as that of a file in memory")
    func descriptor() throws {
        try SourcesUnderTest.run(
            "api --timeout 5m -- printf s3cret",
            #"exec 9< "$sources"; for name in /proc/self/fd/9 /dev/fd/9; do SKR_SOURCES=$name skr get api; echo; skr delete api; done"#,
            prints: "s3cret\ns3cret\n")
    }
}
