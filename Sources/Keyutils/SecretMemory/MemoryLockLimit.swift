import Glibc

/// The limit of memory that a process can lock, so that it is never swapped out: `RLIMIT_MEMLOCK`.
///
/// The corresponding C function is `getrlimit(2)`.
package struct MemoryLockLimit: Hashable, Sendable {
    /// The limit in force, in bytes; `nil` for unlimited.
    package let soft: UInt64?
    /// The value to which the process can raise the limit, in bytes; `nil` for unlimited.
    package let hard: UInt64?

    /// The limit of this process; `nil` if `getrlimit` fails.
    package static var current: MemoryLockLimit? {
        var limit = rlimit()
        let resource = __rlimit_resource_t(bitPattern: __RLIMIT_MEMLOCK.rawValue)
        guard unsafe getrlimit(resource, &limit) == 0 else { return nil }
        return MemoryLockLimit(soft: bytes(limit.rlim_cur), hard: bytes(limit.rlim_max))
    }

    private static func bytes(_ limit: rlim_t) -> UInt64? {
        limit == rlim_t.max ? nil : UInt64(limit)
    }
}
