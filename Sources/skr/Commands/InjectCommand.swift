import CommandConventions
import ArgumentParser

struct InjectCommand: VerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "inject",
        abstract: "Fill the secrets into a template.",
        discussion: """
            Writes the template to standard output with each {{ skr://SERVICE[/ACCOUNT][?field=PATH] }} replaced by the \
            secret's exact bytes; the blanks inside the braces are optional, and all else stays as it is, other {{ }} \
            too. If a secret can't be had, nothing is written, and all that are missing are named.

            Mind where it goes: a file keeps the secrets longer than any timeout.

            EXAMPLES:
              skr inject -i config.template | ssh host 'cat > /run/app/config'
              echo 'Authorization: Bearer {{ skr://api }}' | skr inject \\
                | curl -H @- https://example.com/
              echo 'password = {{ skr://db/alice }}' | skr inject
            """
    )

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The template; standard input if left out.", valueName: "file"),
        completion: .file())
    var input: String?

    @OptionGroup var options: PlaceOptions

    func invocation() throws(CommandError) -> Invocation {
        .inject(try options.place(), template: input)
    }
}
