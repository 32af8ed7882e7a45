/// How a process that runs actors is started: a program that calls ``ActorProcess/run(_:)``.
package struct ActorLauncher: Sendable {
    package let executable: String
    /// What comes in front of the arguments that the suite adds.
    package let arguments: [String]

    package init(executable: String, arguments: [String] = []) {
        self.executable = executable
        self.arguments = arguments
    }
}
