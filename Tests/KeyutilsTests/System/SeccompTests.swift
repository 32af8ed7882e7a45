import CTestFilters
import Glibc
import Keyutils
import SessionKeyringTesting
import Testing

/// Tests under filters like those of container profiles: the three system calls fail with EPERM or ENOSYS.
@Suite("A filter that hides the key facility")
struct SeccompTests {
    @Test(
        "with a filter that returns EPERM, everything is notPermitted; with ENOSYS, it is unavailable",
        .enabled(if: !Capability.isKernelLab), arguments: [EPERM, ENOSYS])
    func filtered(number: CInt) async {
        await #expect(processExitsWith: .success) { [number = number as CInt] in
            let code: KeyringError.Code = number == EPERM ? .notPermitted : .unavailable
            guard test_filter_install(-1, number) == 0 else { throw SetupFailure(step: "the filter was refused") }
            expectFailure(code) { () throws(KeyringError) in _ = try Keyring.resolve(.sessionKeyring) }
            expectFailure(code) { () throws(KeyringError) in _ = try KeyringCapabilities.query() }
            expectFailure(code) { () throws(KeyringError) in try Keyring.thread.add("key") }
            expectFailure(code) { () throws(KeyringError) in _ = try Key.request(.user, "key") }
            expectFailure(code) { () throws(KeyringError) in _ = try Key(.sessionKeyring).read() }
            expectFailure(code) { () throws(KeyringError) in _ = try Keyring(.sessionKeyring).members() }
            #expect(SecretBytes(copying: [1, 2]).array() == [1, 2])
        }
    }
}
