import Foundation
import Glibc
import TestSupport

/// A `skr-secrets` that was built next to the tests, or the one that `SKR_SECRETS` names.
final class ServiceProgram {
    let path: String
    private let leader: ChildProcess
    let process: pid_t

    /// Starts a service on the session keyring of this thread.
    init(namespace: String) throws {
        let program = ProcessInfo.processInfo.environment["SKR_SECRETS"] ?? builtProgram("skr-secrets")
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ServiceClient.Failure(name: "no pipe") }
        defer { close(ends[0]) }
        let script = #"echo "${DBUS_SESSION_BUS_ADDRESS#unix:path=}"; exec sleep 1000 > /dev/null"#
        let words = ["--namespace", namespace, "--", "sh", "-c", script]
        leader = try ChildProcess(
            program, words, environment: ChildProcess.environment([:]), files: (0, ends[1], 2), inSession: true)
        close(ends[1])
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(ends[0], &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        path = String(decoding: line, as: UTF8.self)
        // The service itself is not a child of this process.
        let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }
        let found = processes.first { process in
            let words = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
            return words.starts(with: Data("\(program)\0--namespace\0\(namespace)\0".utf8))
        }
        guard let found else { throw ServiceClient.Failure(name: "no service") }
        process = found
    }

    /// Kills the service, which has no time to do anything.
    func kill() {
        Glibc.kill(process, SIGKILL)
        // Until the kernel has closed its sockets.
        while Glibc.kill(process, 0) == 0,
            (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8))?.contains(") Z ") == false
        {
            usleep(500)
        }
        unlink(path)
        rmdir(String(path.dropLast("/bus".count)))
        end()
    }

    /// Ends the command of the service, with which the service ends.
    func end() {
        leader.kill()
        _ = try? leader.wait(until: .now + ChildProcess.waitLimit)
    }

    /// The KB of memory in use.
    var memory: Int {
        let words =
            (try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return words.count > 1 ? (Int(words[1]) ?? 0) * 4 : 0
    }

    /// The number of open descriptors.
    var descriptors: Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count) ?? 0 }
}
