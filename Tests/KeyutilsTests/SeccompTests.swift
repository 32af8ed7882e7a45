import Glibc
import Keyutils
import SessionKeyringTesting
import Testing

/// What container profiles do: the three system calls fail with EPERM or ENOSYS.
@Suite("Where a filter hides the key facility")
struct SeccompTests {
    @Test("a filter that forbids makes everything notPermitted", .enabled(if: !Capability.isKernelLab))
    func forbidden() async {
        await #expect(processExitsWith: .success) {
            try expectEverything(fails: .notPermitted, under: EPERM)
        }
    }

    @Test("a filter that hides makes everything unavailable", .enabled(if: !Capability.isKernelLab))
    func hidden() async {
        await #expect(processExitsWith: .success) {
            try expectEverything(fails: .unavailable, under: ENOSYS)
        }
    }
}

private func expectEverything(fails code: KeyringError.Code, under number: CInt) throws {
    try KeyCallFilter.install(failingWith: number)
    expectFailure(code) { () throws(KeyringError) in _ = try Keyring.resolve(.sessionKeyring) }
    expectFailure(code) { () throws(KeyringError) in _ = try KeyringCapabilities.query() }
    expectFailure(code) { () throws(KeyringError) in try Keyring.thread.add("key") }
    expectFailure(code) { () throws(KeyringError) in _ = try Key.request(.user, "key") }
    expectFailure(code) { () throws(KeyringError) in _ = try Key(.sessionKeyring).read() }
    expectFailure(code) { () throws(KeyringError) in _ = try Keyring(.sessionKeyring).members() }
    #expect(SecretBytes(copying: [1, 2]).array() == [1, 2])
}

/// A seccomp filter on the calling thread that lets everything pass but `add_key`, `request_key` and `keyctl`.
private enum KeyCallFilter {
    private struct Program {
        var count: UInt16
        var instructions: UnsafeMutablePointer<UInt64>
    }

    static func install(failingWith number: CInt) throws {
        #if arch(x86_64)
            let (first, last): (UInt32, UInt32) = (248, 250)
        #else
            let (first, last): (UInt32, UInt32) = (217, 219)
        #endif
        // struct sock_filter: code, jump if true, jump if false, operand.
        var instructions: [UInt64] = [
            instruction(0x20, 0, 0, 0),  // load the system call's number
            instruction(0x35, 0, 2, first),  // at least the first? else two on
            instruction(0x25, 1, 0, last),  // beyond the last? then one on
            instruction(0x06, 0, 0, 0x0005_0000 | UInt32(number)),  // SECCOMP_RET_ERRNO
            instruction(0x06, 0, 0, 0x7fff_0000),  // SECCOMP_RET_ALLOW
        ]
        // Variadic in C, and so not imported. On the architectures that have Swift, these arguments pass alike.
        typealias Control = @convention(c) (CInt, UInt, UInt, UInt, UInt) -> CInt
        guard let symbol = dlsym(nil, "prctl") else { throw SetupFailure(step: "prctl is not there") }
        let control = unsafeBitCast(symbol, to: Control.self)
        let result = instructions.withUnsafeMutableBufferPointer { buffer in
            var program = Program(count: UInt16(buffer.count), instructions: buffer.baseAddress!)
            return withUnsafeMutablePointer(to: &program) { program in
                let noNewPrivileges: CInt = 38
                let setSeccomp: CInt = 22
                let filterMode: UInt = 2
                guard control(noNewPrivileges, 1, 0, 0, 0) == 0 else { return -1 as CInt }
                return control(setSeccomp, filterMode, UInt(bitPattern: program), 0, 0)
            }
        }
        guard result == 0 else { throw SetupFailure(step: "the filter was refused") }
    }

    private static func instruction(_ code: UInt16, _ ifTrue: UInt8, _ ifFalse: UInt8, _ operand: UInt32) -> UInt64 {
        UInt64(code) | UInt64(ifTrue) << 16 | UInt64(ifFalse) << 24 | UInt64(operand) << 32
    }
}
