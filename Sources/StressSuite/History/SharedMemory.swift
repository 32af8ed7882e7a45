import CLinux
import Glibc
import SystemPackage

/// Memory that processes share, and that keeps the data of a killed process.
///
/// Pages that were never written take no memory. The corresponding C function is `memfd_create(2)`.
@safe final class SharedMemory: @unchecked Sendable {
    /// `MFD_CLOEXEC`, which Swift can't import.
    private static let closeOnExec: CUnsignedInt = 1

    let descriptor: CInt
    let base: UnsafeMutableRawPointer
    let size: Int

    /// Creates memory that is all zero.
    convenience init(size: Int) throws(StressError) {
        let first = unsafe memfd_create("skr-stress", Self.closeOnExec)
        // Avoids the numbers of the standard descriptors, which are free if these are closed.
        let descriptor = fcntl(first, F_DUPFD_CLOEXEC, 3)
        close(first)
        guard descriptor >= 0, ftruncate(descriptor, size) == 0 else {
            throw Self.failure()
        }
        try self.init(mapping: descriptor, size: size)
    }

    /// Maps the memory that a descriptor refers to, and takes ownership of the descriptor.
    convenience init(descriptor: CInt) throws(StressError) {
        var state = stat()
        guard unsafe fstat(descriptor, &state) == 0, state.st_size > 0 else {
            throw StressError(.workerFailed, "a worker was started without the shared memory of a run")
        }
        try self.init(mapping: descriptor, size: Int(state.st_size))
    }

    private init(mapping descriptor: CInt, size: Int) throws(StressError) {
        let base = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0)
        guard let base = unsafe base, unsafe base != MAP_FAILED else {
            throw Self.failure()
        }
        self.descriptor = descriptor
        unsafe self.base = base
        self.size = size
    }

    private static func failure() -> StressError {
        StressError(
            .outOfMemory, "not enough memory for the history: \(Errno(rawValue: errno))",
            hint: "use fewer threads and processes")
    }

    deinit {
        unsafe munmap(base, size)
        close(descriptor)
    }

    /// Frees the pages from this offset on; they read as zero afterwards.
    func discard(from offset: Int) throws(StressError) {
        guard ftruncate(descriptor, offset) == 0, ftruncate(descriptor, size) == 0 else {
            throw Self.failure()
        }
    }
}
