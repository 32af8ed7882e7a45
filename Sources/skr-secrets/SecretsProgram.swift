import CProcess
package import CommandSupport
import Glibc
import SecretService
import SessionKeyring
import SystemPackage

/// Runs `skr-secrets`, from the words of the command line to the exit code.
package enum SecretsProgram {
    static let name = "skr-secrets"
    static let version = "skr-secrets 0.1.0"
    private static let variable = "DBUS_SESSION_BUS_ADDRESS"

    package static func main(_ line: CommandLineWords) -> Int32 {
        // Lets `eval "$(skr-secrets)"` fail too.
        let others = ["--", "--attach", "--status", "--manual", "--version"]
        let isOther = (0..<line.count).contains { position in others.contains { $0 == line[position] } }
        if !isOther { Console.setLastWords("false\n") }
        do throws(CommandError) {
            guard let options = try SecretsOptions.reading(line, manual: manual) else {
                return ExitCode.done.rawValue
            }
            return try run(options)
        } catch {
            Console.writeLastWords()
            Console.report(error, by: name)
            return error.exitCode.rawValue
        }
    }

    static func run(_ options: SecretsOptions) throws(CommandError) -> Int32 {
        if options.isVersion {
            try Console.writeLine(version)
            return ExitCode.done.rawValue
        }
        if options.isStatus { return try printStatus() }
        if options.isAttached { return try attach(options) }
        if let command = options.command { return try become(command, options) }
        return try startForShell(options)
    }

    /// The address of the bus that clients use here; `nil` without one.
    private static var address: String? {
        if let address = try? Variable.value(variable) { return address }
        return SocketFolder.runtime.map { UnixSocket.address(of: "\($0)/bus") }
    }

    /// - Parameter leader: the process with which the service ends.
    private static func service(_ options: SecretsOptions, leader: pid_t) throws(CommandError) -> SecretService {
        guard geteuid() != UnixSocket.nobody else {
            throw CommandError(
                exitCode: .noPermission, message: "the user nobody stands for all users of other namespaces",
                hint: "use another user for programs that need secrets")
        }
        let (scope, namespace) = (try options.secretScope(), try options.usedNamespace())
        let (rules, settings) = (try options.rules(), try options.settings())
        do throws(SecretStoreError) {
            let service = try SecretService(scope, namespace: namespace, timeouts: rules)
            try service.check()
            service.settings = settings + ["ends with: process \(leader)"]
            return service
        } catch {
            let (exitCode, hint): (CommandSupport.ExitCode, String) =
                switch error.code {
                case .sessionRevoked: (.unavailable, "start a new session: exec skr session --secrets")
                case .unavailable: (.unavailable, "'skr doctor' shows why, and what to do")
                case .invalidName: (.usage, "choose another name")
                default: (.noPermission, "'skr doctor' shows what this login provides")
                }
            throw CommandError(exitCode: exitCode, message: error.summary, hint: hint)
        }
    }

    /// Starts a service for CMD, and becomes CMD.
    private static func become(
        _ command: CommandLineWords, _ options: SecretsOptions
    ) throws(CommandError) -> Int32 {
        try start(options, leader: getpid()) { address in unsafe setenv(variable, address, 1) }
        if let program = unsafe command.pointers[0] { unsafe execvp(program, command.pointers) }
        throw Executable.failure(of: command.lossyFirst, .last)
    }

    /// Connects to the bus that programs use now; `nil` if it is gone, or another user's.
    private static func presentBus() throws(CommandError) -> BusConnection? {
        guard let address else { return nil }
        do throws(BusConnection.Failure) {
            return try BusConnection(to: address)
        } catch {
            guard error.isSilent else { return nil }
            throw CommandError(
                exitCode: .unavailable, message: Display.plain(error.message),
                hint: "end it, or run: unset DBUS_SESSION_BUS_ADDRESS")
        }
    }

    /// Starts a service for the login, and prints the line that `eval` runs.
    private static func startForShell(_ options: SecretsOptions) throws(CommandError) -> Int32 {
        if let bus = try presentBus() {
            // A second shell of the same login.
            if let report = bus.report(), report.split(separator: "\n").contains("bus: private") {
                try warnIfDifferent(report, options)
                return ExitCode.done.rawValue
            }
            throw CommandError(
                exitCode: .cannotCreate, message: "there is a session bus, which programs would no longer find",
                hint: "use 'skr-secrets -- CMD' for one program, or 'skr-secrets --attach' for the bus")
        }
        if Console.isOutputTerminal || fcntl(STDOUT_FILENO, F_GETFD) < 0 {
            throw .usage("this prints a line for the shell", hint: "run: eval \"$(skr-secrets)\"")
        }
        let leader = getsid(0)
        guard leader > 0, leader != getpid() else {
            throw CommandError(
                exitCode: .cannotCreate,
                message: leader > 0
                    ? "this process leads its login, so the service could not outlive it"
                    : "the first process of this login is outside of this container",
                hint: "use 'skr-secrets -- CMD'")
        }
        try start(options, leader: leader) { address throws(CommandError) in
            try Console.writeLine("export \(variable)='\(address)'")
        }
        return ExitCode.done.rawValue
    }

    /// Warns if a running service, with this report, has other options.
    private static func warnIfDifferent(_ report: String, _ options: SecretsOptions) throws(CommandError) {
        let lines = ["scope: \(try options.secretScope().name)"] + (try options.settings())
        guard !report.utf8.starts(with: lines.map { "\($0)\n" }.joined().utf8) else { return }
        Console.warn(
            "the running service has other options, and keeps them",
            hint: "'skr-secrets --status' shows them; for yours, use 'skr-secrets OPTIONS -- CMD'", by: name)
    }

    /// Starts a service in the background, which ends with the leader.
    ///
    /// The service first reports that it is ready. It serves its clients once the caller has answered that `publish` has
    /// succeeded. If either end closes the connection instead, the service ends, and no folder stays.
    ///
    /// - Parameter publish: passes the address on to clients.
    private static func start(
        _ options: SecretsOptions, leader: pid_t, _ publish: (String) throws(CommandError) -> Void
    ) throws(CommandError) {
        // Problems are reported here, because nobody sees them later.
        _ = try service(options, leader: leader)
        // The service's descriptors must not have the numbers of closed standard ones.
        while case 0...STDERR_FILENO = unsafe open("/dev/null", O_RDWR | O_CLOEXEC) {}
        close(try watched(leader))
        var ends: [CInt] = [-1, -1]
        _ = unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
        let place = try SocketFolder()
        let result = fork_detached(place.listener, ends[1])
        if result == 1 {
            try? run(options, place, leader: leader, caller: ends[1])
            place.remove()
            exit(ExitCode.done.rawValue)
        }
        close(place.listener)
        close(ends[1])
        guard result == 0, isAnswered(on: ends[0]) else {
            place.remove()
            throw .internalError(
                "can't start the service in the background",
                hint: "check that /dev/null exists, and the limits of processes and open files: ulimit -u -n")
        }
        try publish(UnixSocket.address(of: place.path))
        answer(on: ends[0])
        close(ends[0])
    }

    /// Waits for the byte with which the other process reports success.
    private static func isAnswered(on socket: CInt) -> Bool {
        var byte: UInt8 = 0
        return unsafe read(socket, &byte, 1) == 1
    }

    private static func answer(on socket: CInt) {
        _ = unsafe send(socket, "", 1, CInt(MSG_NOSIGNAL))
    }

    /// Opens a process, to notice its end.
    private static func watched(_ process: pid_t) throws(CommandError) -> CInt {
        let descriptor = watch_process(process)
        guard descriptor >= 0 else {
            let hasEnded = errno == ESRCH
            throw CommandError(
                exitCode: .cannotCreate,
                message: hasEnded
                    ? "the first process of this login has ended, and the service would end with it"
                    : "can't watch process \(process), with whose end the service should end",
                hint: hasEnded ? "use 'skr-secrets -- CMD'" : "allow pidfd_open in the container's seccomp profile")
        }
        return descriptor
    }

    private static func run(
        _ options: SecretsOptions, _ place: SocketFolder, leader: pid_t, caller: CInt
    ) throws(CommandError) {
        keep_memory_private()
        // The caller's folder can be removed, and its file system unmounted.
        _ = unsafe chdir("/")
        let lifetime = try Lifetime(leader: watched(leader), idle: options.idle)
        let service = try service(options, leader: leader)
        answer(on: caller)
        guard isAnswered(on: caller) else { return }
        // Now there is a descriptor for a client.
        close(caller)
        lifetime.run(SecretServer(service, listener: place.listener)) { service.isKeyringThere && place.isThere }
    }

    /// Serves the session bus, in the foreground.
    private static func attach(_ options: SecretsOptions) throws(CommandError) -> Int32 {
        keep_memory_private()
        // The login's leader can be outside of a container.
        let leader = max(getsid(0), 1)
        let service = try service(options, leader: leader)
        guard let address else {
            throw .usage(
                "no session bus is known here: DBUS_SESSION_BUS_ADDRESS is not set, and XDG_RUNTIME_DIR is not your own folder",
                hint: "use 'skr-secrets -- CMD'")
        }
        let bus = try connection(to: address)
        guard try takeName(on: bus) else {
            throw CommandError(
                exitCode: .cannotCreate, message: "another program has the name org.freedesktop.secrets on this bus",
                hint: "end it first, or use 'skr-secrets -- CMD'")
        }
        let lifetime = try Lifetime(leader: watched(leader), idle: options.idle)
        Console.note("serving the Secret Service on the session bus, with the secrets of all your logins", by: name)
        lifetime.run(SecretServer(service, on: bus)) { service.isKeyringThere }
        return ExitCode.done.rawValue
    }

    private static func takeName(on bus: BusConnection) throws(CommandError) -> Bool {
        do throws(BusConnection.Failure) {
            return try bus.takeName()
        } catch {
            throw CommandError(
                exitCode: .unavailable, message: Display.plain(error.message), hint: "use 'skr-secrets -- CMD'")
        }
    }

    private static func connection(to address: String) throws(CommandError) -> BusConnection {
        do throws(BusConnection.Failure) {
            return try BusConnection(to: address)
        } catch {
            throw CommandError(
                exitCode: .unavailable, message: Display.plain(error.message), hint: "start one: 'skr-secrets -- CMD'")
        }
    }

    private static func printStatus() throws(CommandError) -> Int32 {
        let bus = address.flatMap { try? BusConnection(to: $0) }
        guard let address, let report = bus?.report() else {
            let named = try Variable.value(variable).map { "at \(Display.plain($0))" }
            try Console.writeLine(
                bus?.hasService == true
                    ? "another program is the Secret Service here" : "no Secret Service answers \(named ?? "here")")
            return ExitCode.noItem.rawValue
        }
        try Console.writeLine(Display.plain("address: \(address)"))
        for line in report.split(separator: "\n") { try Console.writeLine(Display.plain(String(line))) }
        return ExitCode.done.rawValue
    }
}
