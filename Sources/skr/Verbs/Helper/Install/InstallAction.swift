import CommandSupport

/// Makes a client's link, and shows or makes its configuration.
struct InstallAction: VerbAction {
    let call: SetupCall
    let writesConfiguration: Bool

    func run() throws {
        guard !writesConfiguration || call.setup.canBeWritten else { throw ShownSetup.byHand(call.name) }
        let link = try call.link()
        try call.requirePlainWords()
        if let link { try install(link) }
        if writesConfiguration {
            for line in try call.setup.write(call) { try Console.writeLine(line) }
        } else {
            if call.setup.canBeWritten {
                try Console.writeLine("what is left to do, which --write-config does:")
            } else {
                try Console.writeLine("what is left to do:")
            }
            for line in call.setup.instructions(call) { try Console.writeLine(line) }
        }
    }

    private func install(_ link: HelperLink) throws(CommandError) {
        let target = Display.plain(call.user.executable)
        let isNew = try link.make(to: call.user.executable)
        try Console.writeLine(
            isNew
                ? "made the link \(Display.plain(link.path)) -> \(target)"
                : "the link \(Display.plain(link.path)) is there already")
        guard let folder = call.setup.linkFolder(for: call.user) else { return try checkPath(of: link) }
        guard folder != link.folder else { return }
        Console.warn(
            .data("\(call.name) does not look in \(Display.quoted(link.folder))", hint: "it looks in \(folder)"))
    }

    private func checkPath(of link: HelperLink) throws(CommandError) {
        let folder = Display.plain(link.folder)
        guard call.user.isInPath(link.folder) else {
            try Console.writeLine("\(folder) is not in PATH")
            guard call.findsHelperInPath else { return }
            return Console.warn(
                .data(
                    "\(call.name) won't find its helper",
                    hint: "add to ~/.profile, and log in again: export PATH=\(Display.shellWord(link.folder)):\"$PATH\""
                )
            )
        }
        try Console.writeLine("\(folder) is in PATH")
        guard let first = call.user.program(link.name), first != link.path,
            HelperLink(folder: String(first.dropLast(link.name.utf8.count + 1)), name: link.name).state != .here
        else { return }
        Console.warn(
            .data(
                "\(Display.quoted(first)) is found before it",
                hint: "put \(folder) before that folder in PATH, or name another one with --dir"))
    }
}

/// Takes a client's link away, and shows or takes away its configuration.
struct UninstallAction: VerbAction {
    let call: SetupCall
    let writesConfiguration: Bool

    func run() throws {
        guard !writesConfiguration || call.setup.canBeWritten else { throw ShownSetup.byHand(call.name) }
        let link = call.installedLink
        for other in call.foundLinks where other.path != link?.path {
            try Console.writeLine("the link \(Display.plain(other.path)) stays: it may be somebody else's")
        }
        var isFound = link != nil
        var failure: CommandError?
        do throws(CommandError) {
            try link?.remove()
            if let link { try Console.writeLine("removed the link \(Display.plain(link.path))") }
        } catch {
            failure = error
        }
        if writesConfiguration {
            let lines = try call.setup.remove(call)
            for line in lines { try Console.writeLine(line) }
            isFound = isFound || !lines.isEmpty
        } else if case .ours = call.setup.state(for: call.user) {
            try Console.writeLine("what is left to do\(call.setup.canBeWritten ? ", which --write-config does:" : ":")")
            for line in call.setup.removalInstructions(call) { try Console.writeLine(line) }
            isFound = true
        }
        if let failure { throw failure }
        guard isFound else {
            throw CommandError(
                exitCode: .noItem,
                message: "\(call.name) is not set up\(call.folder.map { " in \(Display.quoted($0))" } ?? "")",
                hint: "'skr helper status' shows what is")
        }
    }
}
