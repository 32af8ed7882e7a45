import CTestFilters
import Foundation
import Keyutils
import SessionKeyringTesting
import Testing

/// The memory that secrets live in.
///
/// Tests that look at memory after a secret has ended run in their own process, where no other test can have
/// reused the slot.
@Suite("The memory of secrets")
struct SecretMemoryTests {
    @Test("a secret's memory is zero after the secret has ended")
    func wiped() async {
        await #expect(processExitsWith: .success) {
            for count in [1, 64, 65, 256, 1_000, 1_024, 4_096, 4_097, 32_768] {
                let secret = SecretBytes(copying: pattern(count))
                let place = address(of: secret)
                guard Memory.holds(pattern(count), at: place) else {
                    throw SetupFailure(step: "the secret is not in memory")
                }
                end(secret)
                #expect(Memory.isZero(at: place, count: count), "\(count) bytes")
            }
        }
    }

    @Test("all bytes that an initializer wrote are wiped, even beyond the count that it returned")
    func wipedWhole() async {
        await #expect(processExitsWith: .success) {
            var address = 0
            let secret = SecretBytes(capacity: 200) { buffer in
                address = Int(bitPattern: buffer.baseAddress)
                buffer.copyBytes(from: pattern(200))
                return 1
            }
            guard Memory.holds(pattern(200), at: address) else {
                throw SetupFailure(step: "the secret is not in memory")
            }
            end(secret)
            #expect(Memory.isZero(at: address, count: 200))
        }
    }

    @Test("a child forked while other threads use secrets starts, even under the thread sanitizer", .tags(.threads))
    func forkedAmongThreads() async {
        await #expect(processExitsWith: .exitCode(0)) { Self.forkAmongThreads(40) }
    }

    @Test("500 children forked while other threads use secrets start", .tags(.long, .threads))
    func manyForkedAmongThreads() async {
        await #expect(processExitsWith: .exitCode(0)) { Self.forkAmongThreads(500) }
    }

    private static func forkAmongThreads(_ count: Int) -> Never {
        // If a child hangs, the alarm ends this process and the test fails.
        alarm(120)
        for _ in 0..<3 {
            Thread.detachNewThread { while true { end(SecretBytes(copying: pattern(8))) } }
        }
        for _ in 0..<count {
            let child = test_fork()
            if child == 0 { _exit(0) }
            var status: CInt = 0
            guard child > 0, waitpid(child, &status, 0) == child, status == 0 else { exit(3) }
        }
        exit(0)
    }

    @Test("bytes that an initializer wrote before it threw are wiped")
    func wipedOnError() async {
        await #expect(processExitsWith: .success) {
            var address = 0
            var wasThere = false
            do {
                let secret = try SecretBytes(capacity: 300) { buffer throws(SetupFailure) in
                    address = Int(bitPattern: buffer.baseAddress)
                    buffer.copyBytes(from: pattern(300))
                    wasThere = Memory.holds(pattern(300), at: address)
                    throw SetupFailure(step: "on purpose")
                }
                end(secret)
                Issue.record("the initializer did not throw")
            } catch {}
            #expect(wasThere)
            #expect(Memory.isZero(at: address, count: 300))
        }
    }

    @Test("the memory in which a payload was lent is zero afterwards")
    func lent() async {
        await #expect(processExitsWith: .success) {
            let scratch = try ScratchKeyring()
            for count in [10, 5_000, 32_767] {
                let key = try scratch.keyring.add("key", pattern(count))
                let address: Int = try key.withPayload { payload in
                    payload.withUnsafeBytes { bytes -> Int in
                        let isWhole = bytes.elementsEqual(pattern(count))
                        return isWhole ? Int(bitPattern: bytes.baseAddress) : 0
                    }
                }
                guard address != 0 else { throw SetupFailure(step: "the payload is wrong") }
                #expect(Memory.isZero(at: address, count: count), "\(count) bytes")
            }
        }
    }

    @Test("a large secret's memory is returned to the system")
    func unmapped() async {
        await #expect(processExitsWith: .success) {
            let secret = SecretBytes(copying: pattern(1_048_576))
            let place = address(of: secret)
            let before = try Memory.flags(at: place)
            #expect(before?.contains("dd") == true)
            end(secret)
            let after = try Memory.flags(at: place)
            #expect(after?.contains("dd") != true)
        }
    }

    @Test(
        "a secret's memory is left out of core dumps, and is locked if the limit allows",
        arguments: [1, 1_000, 32_768, 1_048_576]
    )
    func flags(_ count: Int) throws {
        let secret = SecretBytes(copying: pattern(count))
        let flags = try Memory.flags(at: address(of: secret))
        end(secret)
        #expect(flags?.contains("dd") == true)
        if SecretBytes.isMemoryLocked { #expect(flags?.contains("lo") == true) }
    }

    @Test("the memory of secrets is locked if the process is allowed to lock memory", .enabled(if: Memory.mayLock))
    func locked() async {
        await #expect(processExitsWith: .success) {
            let secret = SecretBytes(copying: pattern(100))
            #expect(SecretBytes.isMemoryLocked)
            #expect(secret.count == 100)
        }
    }

    @Test("a forked child that continues to use secrets locks all their memory again", .enabled(if: Memory.mayLock))
    func forked() async {
        await #expect(processExitsWith: .success) {
            let small = SecretBytes(copying: pattern(100))
            let large = SecretBytes(copying: pattern(1_048_576))
            let addresses = [address(of: small), address(of: large)]
            let child = test_fork()
            if child == 0 {
                // The library locks the memory again when the child takes memory for another secret.
                let another = SecretBytes(copying: pattern(5_000))
                for address in addresses + [address(of: another)] {
                    guard (try? Memory.flags(at: address))?.contains("lo") == true else { _exit(3) }
                }
                // The parent's secrets must live until here.
                _exit(SecretBytes.isMemoryLocked && small.count < large.count ? 0 : 4)
            }
            var status = CInt()
            waitpid(child, &status, 0)
            #expect(status == 0)
            #expect(Memory.holds(pattern(100), at: addresses[0]))
            end(small)
            end(large)
        }
    }

    @Test("isMemoryLocked in a forked child locks its memory again", .enabled(if: Memory.mayLock))
    func forkedAndAsked() async {
        await #expect(processExitsWith: .success) {
            let secret = SecretBytes(copying: pattern(100))
            let place = address(of: secret)
            let child = test_fork()
            if child == 0 {
                let isLocked = SecretBytes.isMemoryLocked && (try? Memory.flags(at: place))?.contains("lo") == true
                _exit(isLocked ? 0 : 3)
            }
            var status = CInt()
            waitpid(child, &status, 0)
            #expect(status == 0)
            end(secret)
        }
    }

    @Test("if locking is not allowed, isMemoryLocked is false and everything else works", .enabled(if: geteuid() == 0))
    func notLocked() async {
        await #expect(processExitsWith: .success) {
            guard Memory.forbidLocking() else { throw SetupFailure(step: "setrlimit") }
            let session = try OrdinaryUser.becomeInNewSession(60_150)
            let secret = SecretBytes(copying: pattern(1_000))
            #expect(!SecretBytes.isMemoryLocked)
            #expect(secret.array() == pattern(1_000))
            let key = try session.add("key", pattern(10_000))
            let isSame = try key.read().array() == pattern(10_000)
            #expect(isSame)
            let large = SecretBytes(copying: pattern(1_048_576))
            #expect(large.count == 1_048_576)
        }
    }
}

private func address(of secret: borrowing SecretBytes) -> Int {
    secret.withBytes { bytes in
        bytes.withUnsafeBytes { bytes -> Int in Int(bitPattern: bytes.baseAddress) }
    }
}

/// Ends the life of a secret here.
@inline(never)
private func end(_ secret: consuming SecretBytes) {}
