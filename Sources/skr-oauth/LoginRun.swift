import CProcess
import CommandSupport
import Glibc
import OAuth
import SecretText
import SystemPackage

/// A login: the code flow with a browser, the device flow, or both at the same time.
struct LoginRun {
    /// How long the user has time.
    private static let limit = Duration.seconds(900)

    private let call: ProgramCall
    private let login: LoginRequest
    private let terminal = LoginTerminal()
    private let end = ContinuousClock.now + limit
    private var listener: LoopbackListener?
    private var redirect: Redirect?
    private var code: CodeFlow?
    private var device: DeviceFlow?
    private var nextQuestion = ContinuousClock.now
    private var deviceEnd = ContinuousClock.now
    /// Whether the user can get a new code for the device flow by pressing Enter.
    private var offersNewCode = false
    /// When the request was sent whose answer are the tokens.
    private(set) var sent = ContinuousClock.now

    init(_ call: ProgramCall, _ login: LoginRequest) { (self.call, self.login) = (call, login) }

    /// Whether a browser can show the login on this machine's screen.
    private static var isGraphical: Bool {
        !Variable.isSet("SSH_CONNECTION")
            && (Variable.isSet("BROWSER") || Variable.isSet("DISPLAY") || Variable.isSet("WAYLAND_DISPLAY"))
    }

    mutating func tokens() throws(OAuthError) -> IssuedTokens {
        let flow = call.optional("flow")
        let usesBrowser = flow == "browser" || flow == nil && Self.isGraphical
        var (wantsCode, wantsDevice) = (flow != "device", flow == nil || flow == "device")
        while true {
            do throws(OAuthError) {
                if wantsCode {
                    wantsCode = false
                    try beginCode(opensBrowser: usesBrowser)
                }
                // After a browser on this screen, the device flow is the second choice.
                if wantsDevice, !usesBrowser || code == nil {
                    wantsDevice = false
                    try beginDevice()
                }
                if let tokens = try step() { return tokens }
            } catch {
                // While the code flow waits for the browser, the error is one of the device flow.
                if code != nil, error.code != .denied {
                    if login.server.device == nil { continue }
                    terminal.show("Only the browser is left: \(Display.plain(error.reason)).\n")
                } else if error.code != .flowRefused || !wantsDevice && device == nil {
                    throw error
                }
            }
        }
    }

    private mutating func beginCode(opensBrowser: Bool) throws(OAuthError) {
        let wanted = call.optional("redirect") ?? "http://127.0.0.1/"
        let address = ServerAddress(wanted)
        let listener = address?.isLoopback == true ? LoopbackListener(port: address?.port) : nil
        guard let redirect = Redirect(wanted, port: listener?.port) else {
            throw OAuthError(
                .unusable, "--redirect \(wanted.cut(to: 200)) can't be used",
                hint: "write an address of https, http://127.0.0.1 or http://localhost, as the server knows it")
        }
        guard listener != nil || terminal.canAsk else {
            throw OAuthError(
                .flowRefused, "nothing can return from the browser: no terminal, and no free port for the redirect",
                hint: "log in on another device: --device")
        }
        let extra = call.values("auth-parameter").compactMap(ProgramCall.pair)
        let flow = try CodeFlow(login, redirect: redirect.address.text, extra: extra)
        (self.listener, self.redirect, code) = (listener, redirect, flow)
        if call.optional("print-url") != nil {
            Console.note(flow.address)
        } else if opensBrowser, Self.openBrowser(flow.address) {
            terminal.show("Log in with the browser. If none has opened, open this address:\n\n\(flow.address)\n\n")
        } else {
            terminal.show("Open this address in a browser:\n\n\(flow.address)\n\n")
        }
        if terminal.canAsk {
            terminal.show(
                """
                If the last page doesn't load, copy its address from the browser and paste it here, where it is not \
                shown. Then press Enter.

                """)
        }
    }

    /// Starts the browser; returns false if there isn't one.
    private static func openBrowser(_ address: String) -> Bool {
        let named = unsafe getenv("BROWSER").map { unsafe String(cString: $0) } ?? ""
        let program = named.split(separator: ":").first.map(String.init) ?? "xdg-open"
        guard Executable.isThere(program) else { return false }
        if fork_detached(-1, -1) == 1 {
            signal(SIGPIPE, SIG_DFL)
            let words = CommandLineWords(leaking: [program, address])
            unsafe become_program(words.pointers, current_environment())
            _exit(ExitCode.noCommand.rawValue)
        }
        return true
    }

    private mutating func beginDevice() throws(OAuthError) {
        let flow = try DeviceFlow(login, CurlTransport.send)
        (device, nextQuestion, deviceEnd) = (flow, .now + flow.pause, .now + flow.lifetime)
        let user = Display.plain(flow.userCode)
        if call.optional("print-url") != nil { return Console.note("\(flow.page.text) \(user)") }
        terminal.show(
            "\(code == nil ? "Open" : "Or open") \(flow.page.text) on any device, and enter the code:\n\n    \(user)\n\n"
        )
        if terminal.canAsk, Executable.isThere("qrencode") {
            let page = unsafe SecretBox(copying: (flow.completePage ?? flow.page).text.utf8Span.span.bytes)
            let run = try? ToolRun(["qrencode", "-t", "UTF8", "-m", "2"], input: page)
            if let run, run.exitCode == 0 { terminal.show(run.output.withBytes { String(lossy: $0) }) }
        }
    }

    /// Waits for the next event, and returns the tokens if it has brought them.
    private mutating func step() throws(OAuthError) -> IssuedTokens? {
        switch terminal.wait(for: listener?.descriptors ?? [], until: device == nil ? end : min(end, nextQuestion)) {
        case .time where end <= .now:
            code = nil
            throw OAuthError(.tryAgain, "nobody has logged in for 15 minutes", hint: "run the command again")
        case .time: return try askServer()
        case .line(let line) where offersNewCode && line.isEmpty:
            offersNewCode = false
            try beginDevice()
        case .line(let line):
            return try exchange(Redirect.query(ofPasted: line)) { [terminal] isOurs in
                if !isOurs, !line.isEmpty { terminal.show("That is not the address of this login's last page.\n") }
            }
        case .descriptor:
            guard let redirect, let (query, socket) = listener?.next(redirect) else { return nil }
            return try exchange(query) { isOurs in
                let text = isOurs ? "You can close this page." : "This is not the login that skr waits for."
                LoopbackListener.answer(isOurs ? 200 : 400, text, on: socket)
            }
        }
        return nil
    }

    /// Exchanges the code of the browser's return for tokens.
    private mutating func exchange(
        _ query: [UInt8], _ respond: (_ isOurs: Bool) -> Void
    ) throws(OAuthError) -> IssuedTokens? {
        let value: SecretBox?
        do throws(OAuthError) {
            value = try code?.code(in: query)
        } catch {
            respond(true)
            code = nil
            throw error
        }
        respond(value != nil)
        guard let flow = code, let value else { return nil }
        (code, sent) = (nil, .now)
        switch TokenAnswer(CurlTransport.send(flow.request(code: value)) { _ in true }) {
        case .tokens(let tokens): return tokens
        case .refused(_, let error), .notSent(let error), .unknown(let error): throw error
        }
    }

    private mutating func askServer() throws(OAuthError) -> IssuedTokens? {
        guard var flow = device else { return nil }
        device = nil
        sent = .now
        do throws(OAuthError) {
            let answer = TokenAnswer(CurlTransport.send(flow.request) { _ in true })
            if let tokens = try flow.tokens(in: answer) { return tokens }
            guard deviceEnd > .now else { throw DeviceFlow.expired }
            (device, nextQuestion) = (flow, .now + flow.pause)
        } catch {
            guard error == DeviceFlow.expired, terminal.canAsk else { throw error }
            terminal.show("The code has expired. Press Enter for a new one.\n")
            offersNewCode = true
        }
        return nil
    }
}
