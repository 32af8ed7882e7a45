import CommandSupport

/// Creates a client's link and its configuration, or shows the lines to configure.
struct InstallAction {
    let call: SetupCall
    let writesConfiguration: Bool

    func run() throws {
        let link = try call.link()
        try call.requirePlainWords()
        let refusal = link.flatMap { $0.state == .absent ? call.refusal(to: "create", $0) : nil }
        for line in refusal?.lines ?? [] { try Console.writeLine(line) }
        if let link, refusal == nil { try install(link) }
        for remark in (call.setup as? any WritableSetup)?.remarks(call) ?? [] { Console.warn(remark) }
        let place = call.namedPlace
        if let place { try Console.writeLine("\(call.name) is already set up: \(place)") }
        let lines = call.setup.instructions(call)
        let purpose = place == nil ? "to finish the setup" : "to set up more"
        if !lines.isEmpty { try call.change(lines, purpose, isRemoval: false, isWritten: writesConfiguration) }
        if let refusal { throw refusal.error }
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
            "\(call.name) does not look in \(Display.quoted(link.folder))",
            hint: "leave out --dir: it looks in \(folder)")
    }

    private func checkPath(of link: HelperLink) throws(CommandError) {
        let folder = Display.plain(link.folder)
        guard call.user.isInPath(link.folder) else {
            try Console.writeLine("\(folder) is not in PATH")
            guard call.client.start.isFoundInPath else { return }
            return Console.warn(
                "\(call.name) won't find its helper",
                hint: "add to ~/.profile, and log in again: export PATH=\(Display.shellWord(link.folder)):\"$PATH\"")
        }
        try Console.writeLine("\(folder) is in PATH")
        guard let first = call.user.program(link.name),
            HelperLink(folder: String(Substring(first.utf8.dropLast(link.name.utf8.count + 1))), name: link.name).state
                != .here
        else { return }
        Console.warn(
            "another \(link.name) comes first in PATH: \(Display.quoted(first))",
            hint: "put \(folder) before its folder in PATH, or choose another folder: --dir FOLDER")
    }
}

/// Removes a client's link and its configuration, or shows how to remove the configuration.
struct UninstallAction {
    let call: SetupCall
    let writesConfiguration: Bool

    func run() throws {
        let link = call.installedLink
        let refusal = link.flatMap { call.refusal(to: "remove", $0) }
        for line in refusal?.lines ?? [] { try Console.writeLine(line) }
        let lines = call.setup.removalInstructions(call)
        if !lines.isEmpty {
            try call.change(lines, "to remove the configuration", isRemoval: true, isWritten: writesConfiguration)
        }
        if let refusal { throw refusal.error }
        if let link {
            try link.remove()
            try Console.writeLine("removed the link \(Display.plain(link.path))")
        }
        guard !lines.isEmpty || link != nil else {
            throw CommandError(
                exitCode: .noItem,
                message: "\(call.name) is not set up\(call.folder.map { " in \(Display.quoted($0))" } ?? "")",
                hint: "'skr helper status' shows which clients are set up")
        }
    }
}
