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
    private let server: AuthorizationServer
    private let client: OAuthClient
    private let transport: Transport
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

    init(_ call: ProgramCall, _ server: AuthorizationServer, _ client: OAuthClient, _ transport: @escaping Transport) {
        (self.call, self.server, self.client, self.transport) = (call, server, client, transport)
    }

    /// Whether a browser can show the login on this machine's screen.
    private static var isGraphical: Bool {
        !Variable.isSet("SSH_CONNECTION")
            && (Variable.isSet("BROWSER") || Variable.isSet("DISPLAY") || Variable.isSet("WAYLAND_DISPLAY"))
    }

    mutating func tokens() throws(OAuthError) -> IssuedTokens {
        let flow = call.optional("flow")
        let usesBrowser = flow == "browser" || flow == nil && Self.isGraphical
        var mayUseDevice = flow == nil || flow == "device"
        var refusal = flow == "device" ? nil : try beginCode(opensBrowser: usesBrowser)
        while true {
            // After a browser on this screen, the device flow is the second choice.
            if mayUseDevice, !usesBrowser || code == nil {
                mayUseDevice = false
                refusal = try beginDevice() ?? refusal
            }
            guard code != nil || device != nil || offersNewCode else {
                throw refusal ?? OAuthError(.flowRefused, "the server offers no way to log in")
            }
            do throws(OAuthError) {
                if let tokens = try step() { return tokens }
            } catch {
                guard error.code == .flowRefused else { throw error }
                refusal = error
            }
        }
    }

    /// Begins the code flow; returns why it is not possible.
    private mutating func beginCode(opensBrowser: Bool) throws(OAuthError) -> OAuthError? {
        let wanted = call.optional("redirect") ?? "http://127.0.0.1/"
        let address = ServerAddress(wanted)
        if address?.isLoopback == true { listener = LoopbackListener(port: address?.port) }
        guard let redirect = Redirect(wanted, port: listener?.port) else {
            throw OAuthError(
                .unusable, "--redirect \(wanted.cut(to: 200)) can't be used",
                hint: "write an address of https, http://127.0.0.1 or http://localhost, as the server knows it")
        }
        guard listener != nil || terminal.canAsk else {
            return OAuthError(
                .flowRefused, "nothing can return from the browser: no terminal, and no free port for the redirect",
                hint: "log in on another device: --device")
        }
        let extra = call.values("auth-parameter").map { text in
            let name = text.utf8.prefix { $0 != UInt8(ascii: "=") }
            return (String(Substring(name)), String(Substring(text.utf8.dropFirst(name.count + 1))))
        }
        do throws(OAuthError) {
            code = try CodeFlow(
                server, client, redirect: redirect.text, scope: call.optional("oauth-scope"),
                resource: call.optional("resource"), extra: extra)
        } catch {
            guard error.code == .flowRefused else { throw error }
            return error
        }
        self.redirect = redirect
        showAddress(opensBrowser: opensBrowser)
        return nil
    }

    private func showAddress(opensBrowser: Bool) {
        guard let code else { return }
        if call.optional("print-url") != nil {
            Console.note(code.address)
        } else if opensBrowser, Self.openBrowser(code.address) {
            terminal.show("Log in with the browser. If none has opened, open this address:\n\n\(code.address)\n\n")
        } else {
            terminal.show("Open this address in a browser:\n\n\(code.address)\n\n")
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

    /// Begins the device flow; returns why it is not possible, if there is another way.
    private mutating func beginDevice() throws(OAuthError) -> OAuthError? {
        do throws(OAuthError) {
            let flow = try DeviceFlow(
                server, client, scope: call.optional("oauth-scope"), resource: call.optional("resource"), transport)
            show(flow)
            nextQuestion = .now + flow.interval
            deviceEnd = .now + flow.lifetime
            device = flow
            return nil
        } catch {
            return try dropDevice(error)
        }
    }

    /// Ends the device flow after an error, which ends the login if the browser isn't left, or if the user refused.
    private mutating func dropDevice(_ error: OAuthError) throws(OAuthError) -> OAuthError {
        device = nil
        guard code != nil, error.code != .denied else { throw error }
        if server.device != nil { terminal.show("Only the browser is left: \(Display.plain(error.reason)).\n") }
        return error
    }

    private func show(_ flow: DeviceFlow) {
        let user = Display.plain(flow.userCode)
        if call.optional("print-url") != nil { return Console.note("\(flow.page.text) \(user)") }
        terminal.show(
            "\(code == nil ? "Open" : "Or open") \(flow.page.text) on any device, and enter the code:\n\n    \(user)\n\n"
        )
        if terminal.canAsk, Executable.isThere("qrencode") {
            let page = (flow.completePage ?? flow.page).text
            let picture = try? unsafe ChildProgram(
                ["qrencode", "-t", "UTF8", "-m", "2"], input: SecretBox(copying: page.utf8Span.span.bytes))
            if let picture, picture.status == 0, let text = picture.output.text { terminal.show(text) }
        }
    }

    /// Waits for the next event, and returns the tokens if it has brought them.
    private mutating func step() throws(OAuthError) -> IssuedTokens? {
        switch terminal.wait(for: listener?.descriptors ?? [], until: device == nil ? end : min(end, nextQuestion)) {
        case .time where end <= .now:
            throw OAuthError(.tryAgain, "nobody has logged in for 15 minutes", hint: "run the command again")
        case .time: return try askServer()
        case .line where offersNewCode && code == nil:
            offersNewCode = false
            if let refusal = try beginDevice() { throw refusal }
        case .line(let line):
            guard let query = Redirect.query(ofPasted: line) else {
                if !line.isEmpty { terminal.show("That is not the address of the last page: it has no '?'.\n") }
                return nil
            }
            return try exchange(query) { [terminal] isOurs in
                if !isOurs { terminal.show("That address is not one of this login.\n") }
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
        let answer = code?.answer(query) ?? .foreign
        if case .foreign = answer {
            respond(false)
            return nil
        }
        respond(true)
        let flow = code
        code = nil
        if case .failed(let error) = answer { throw error }
        guard let flow, case .code(let value) = answer else { return nil }
        sent = .now
        switch TokenAnswer(transport(flow.request(code: value)) { _ in true }) {
        case .tokens(let tokens): return tokens
        case .refused(_, let error), .notSent(let error), .unknown(let error): throw error
        }
    }

    private mutating func askServer() throws(OAuthError) -> IssuedTokens? {
        guard var flow = device else { return nil }
        sent = .now
        let step = flow.next(after: TokenAnswer(transport(flow.request) { _ in true }))
        device = flow
        switch step {
        case .done(let tokens): return tokens
        case .wait(let pause) where deviceEnd > .now: nextQuestion = .now + pause
        case .wait, .expired:
            let expired = OAuthError(.tryAgain, "the code has expired", hint: "run the command again")
            guard terminal.canAsk, code == nil else {
                _ = try dropDevice(expired)
                return nil
            }
            device = nil
            terminal.show("The code has expired. Press Enter for a new one.\n")
            offersNewCode = true
        case .failed(let error):
            let refusal = try dropDevice(error)
            if code == nil { throw refusal }
        }
        return nil
    }
}
