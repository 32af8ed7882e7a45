import CommandSupport

/// What `skr inject` is asked for.
package struct InjectRequest: Equatable {
    /// Where the filled template goes.
    enum Destination: Equatable {
        case standardOutput
        case file(String)
        case input(of: CommandLineWords)
    }

    let place: Place
    /// The template; standard input if `nil`.
    let template: String?
    let destination: Destination

    init(place: Place, template: String?, output: String?, command: CommandLineWords?) throws(CommandError) {
        self.place = place
        self.template = template == "-" ? nil : template
        switch (output, command) {
        case (nil, nil), ("-", nil): destination = .standardOutput
        case ("", nil): throw .usage("can't write '': it has no name", hint: "name a file behind -o")
        case (let output?, nil): destination = .file(output)
        case (nil, let command?) where command.count > 0: destination = .input(of: command)
        case (nil, _): throw .usage("no command to run", hint: "write it behind '--', or leave out the '--'")
        case (_?, _?): throw .usage("both a file and a command are to get the text", hint: "leave out -o or CMD")
        }
    }
}
