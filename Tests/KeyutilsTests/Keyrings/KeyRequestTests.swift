import CTestFilters
import Glibc
import Keyutils
import SessionKeyringTesting
import Testing
import Threads

@Suite("Requesting keys")
final class KeyRequestTests: ScratchSuite {
    @Test("a request without a callout is a search of the thread's keyrings")
    func found() throws {
        let name = "skr-request-\(getpid())"
        let key = try keyring.add(name)
        #expect(try Key.request(.user, name) == key)
    }

    @Test("a request can link the key that it finds")
    func linked() throws {
        let ring = try keyring.addKeyring("ring")
        let name = "skr-request-linked-\(getpid())"
        let key = try keyring.add(name)
        #expect(try Key.request(.user, name, linkingInto: ring) == key)
        #expect(try ring.members() == [key.serial])
    }

    @Test("a request for what is not there finds nothing and makes nothing")
    func notFound() throws {
        expectFailure(.notFound) { () throws(KeyringError) in
            _ = try Key.request(.user, "skr-no-such-\(getpid())", linkingInto: keyring)
        }
        #expect(try keyring.members() == [])
    }

    @Test("a process that was not asked to construct a key has no authority over it")
    func authority() throws {
        let key = try keyring.add("complete")
        try ThreadTeam.run(1) { _ in
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
    }

    @Test("dropping authority calls the kernel", .enabled(if: !Capability.isKernelLab))
    func dropAuthority() async {
        await #expect(processExitsWith: .success) {
            try blocking {
                // KEYCTL_ASSUME_AUTHORITY
                guard test_filter_install(16, EPERM) == 0 else { throw SetupFailure(step: "the filter was refused") }
                expectFailure(.notPermitted) { () throws(KeyringError) in try KeyConstruction.dropAuthority() }
            }
        }
    }

    @Test("the kernel remembers the default destination")
    func defaultDestination() throws {
        // The setting is the thread's, and ends with it.
        try ThreadTeam.run(1) { _ in
            for destination in KeyConstruction.DefaultDestination.allCases {
                try KeyConstruction.setDefaultDestination(destination)
                let remembered = try KeyConstruction.setDefaultDestination(destination)
                #expect(remembered == destination)
            }
        }
    }
}
