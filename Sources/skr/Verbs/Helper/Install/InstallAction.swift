import CommandSupport

/// Creates a client's link and its configuration, or shows the lines to configure.
struct InstallAction: VerbAction {
    let call: SetupCall
    let writesConfiguration: Bool

    func run() throws {
        let link = try call.link()
        try call.requirePlainWords()
        if let link { try install(link) }
        let file = call.setup as? any FileSetup
        for remark in file?.remarks(call) ?? [] { Console.warn(remark) }
        if let file, writesConfiguration {
            for line in try file.write(call) { try Console.writeLine(line) }
            return
        }
        let place = file == nil ? call.namedPlace : file?.place(settingUp: call)
        if let place { try Console.writeLine("\(call.name) is already set up in \(place)") }
        guard file == nil || place == nil else { return }
        try Console.writeLine(
            (place == nil ? "to finish the setup" : "to set up more")
                + (file == nil ? ":" : " (--write-config does this):"))
        for line in call.setup.instructions(call) { try Console.writeLine(line) }
    }

    private func install(_ link: HelperLink) throws(CommandError) {
        let target = Display.plain(call.user.executable)
        let isNew = try link.make(to: call.user.executable)
        try Console.writeLine(
            isNew
                ? "created the link \(Display.plain(link.path)) -> \(target)"
                : "the link \(Display.plain(link.path)) already exists")
        guard let folder = call.setup.linkFolder(for: call.user) else { return try checkPath(of: link) }
        guard folder != link.folder else { return }
        Console.warn(
            .data(
                "\(call.name) does not look in \(Display.quoted(link.folder))",
                hint: "leave out --dir: it looks in \(folder)"))
    }

    private func checkPath(of link: HelperLink) throws(CommandError) {
        let folder = Display.plain(link.folder)
        guard call.user.isInPath(link.folder) else {
            try Console.writeLine("\(folder) is not in PATH")
            guard call.client.start.isFoundInPath else { return }
            return Console.warn(
                .data(
                    "\(call.name) won't find its helper",
                    hint: "add to ~/.profile, and log in again: export PATH=\(Display.shellWord(link.folder)):\"$PATH\""
                )
            )
        }
        try Console.writeLine("\(folder) is in PATH")
        guard let first = call.user.program(link.name),
            HelperLink(folder: String(first.dropLast(link.name.utf8.count + 1)), name: link.name).state != .here
        else { return }
        Console.warn(
            .data(
                "another \(link.name) comes first in PATH: \(Display.quoted(first))",
                hint: "put \(folder) before its folder in PATH, or choose another folder: --dir FOLDER"))
    }
}

/// Removes a client's link and its configuration, or shows how to remove the configuration.
struct UninstallAction: VerbAction {
    let call: SetupCall
    let writesConfiguration: Bool

    func run() throws {
        let isConfigured = try removeConfiguration()
        let link = call.installedLink
        for other in call.foundLinks where other.path != link?.path {
            try Console.writeLine("kept the link \(Display.plain(other.path)): someone else may have created it")
        }
        if let link {
            try link.remove()
            try Console.writeLine("removed the link \(Display.plain(link.path))")
        }
        guard isConfigured || link != nil else {
            throw CommandError(
                exitCode: .noItem,
                message: "\(call.name) is not set up\(call.folder.map { " in \(Display.quoted($0))" } ?? "")",
                hint: "'skr helper status' shows which clients are set up")
        }
    }

    /// Removes the configuration, or shows the lines to remove.
    ///
    /// - Returns: whether there was a configuration for us.
    private func removeConfiguration() throws -> Bool {
        let file = call.setup as? any FileSetup
        if let file, writesConfiguration {
            let lines = try file.remove(call)
            for line in lines { try Console.writeLine(line) }
            return !lines.isEmpty
        }
        guard case .ours = call.setup.state(for: call.user) else { return false }
        try Console.writeLine("to remove the configuration\(file == nil ? ":" : " (--write-config does this):")")
        for line in call.setup.removalInstructions(call) { try Console.writeLine(line) }
        return true
    }
}
