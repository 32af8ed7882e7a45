import CTestFilters
import Glibc
import Keyutils
import SessionKeyringTesting
import Testing

@Suite("Requesting keys")
struct KeyRequestTests {
    @Test("a request without a callout is a search of the thread's keyrings")
    func found() throws {
        let scratch = try ScratchKeyring()
        let name = "skr-request-\(getpid())"
        let key = try scratch.keyring.add(name)
        #expect(try Key.request(.user, name) == key)
    }

    @Test("a request can link the key that it finds")
    func linked() throws {
        let scratch = try ScratchKeyring()
        let ring = try scratch.keyring.addKeyring("ring")
        let name = "skr-request-linked-\(getpid())"
        let key = try scratch.keyring.add(name)
        #expect(try Key.request(.user, name, linkingInto: ring) == key)
        #expect(try ring.members() == [key.serial])
    }

    @Test("a request for what is not there finds nothing and makes nothing")
    func notFound() throws {
        let scratch = try ScratchKeyring()
        expectFailure(.notFound) { () throws(KeyringError) in
            _ = try Key.request(.user, "skr-no-such-\(getpid())", linkingInto: scratch.keyring)
        }
        #expect(try scratch.keyring.members() == [])
    }

    @Test("a process that was not asked to construct a key has no authority over it")
    func authority() async {
        await #expect(processExitsWith: .success) {
            func act() throws {
                let ring = try SessionMembership.joinAnonymous()
                let key = try ring.add("complete")
                let payload = pattern(3)
                expectFailure(.notFound) { () throws(KeyringError) in try KeyConstruction.assumeAuthority(over: key) }
                try KeyConstruction.dropAuthority()
                expectFailure(.notPermitted) { () throws(KeyringError) in
                    try KeyConstruction.instantiate(key, payload: payload.span.bytes)
                }
                expectFailure(.notPermitted) { () throws(KeyringError) in
                    try KeyConstruction.negate(key, timeout: .longest)
                }
                expectFailure(.notPermitted) { () throws(KeyringError) in
                    try KeyConstruction.reject(key, errno: EKEYREJECTED, timeout: .longest)
                }
            }
            try act()
        }
    }

    @Test("dropping authority calls the kernel", .enabled(if: !Capability.isKernelLab))
    func dropAuthority() async {
        await #expect(processExitsWith: .success) {
            func act() throws {
                // KEYCTL_ASSUME_AUTHORITY
                guard test_filter_install(16, EPERM) == 0 else { throw SetupFailure(step: "the filter was refused") }
                expectFailure(.notPermitted) { () throws(KeyringError) in try KeyConstruction.dropAuthority() }
            }
            try act()
        }
    }

    @Test("the kernel remembers the default destination")
    func defaultDestination() async {
        await #expect(processExitsWith: .success) {
            func act() throws {
                for destination in KeyConstruction.DefaultDestination.allCases {
                    try KeyConstruction.setDefaultDestination(destination)
                    #expect(try KeyConstruction.setDefaultDestination(destination) == destination)
                }
            }
            try act()
        }
    }
}
