package import Glibc
import Keyutils
package import SystemPackage

/// A path, walked name by name as the kernel does, with all that could make it lead elsewhere.
///
/// Each folder is opened before a name is looked up in it. If only this user and root can change the folders and links,
/// the path still leads to the same place later.
package struct WalkedPath: ~Copyable {
    package struct Place {
        package let path: String
        package let found: stat

        package var isFolder: Bool { found.st_mode & S_IFMT == S_IFDIR }
        package var isLink: Bool { found.st_mode & S_IFMT == S_IFLNK }
    }

    /// The number of links that the kernel follows.
    private static let limit = 40
    /// O_PATH from linux/fcntl.h.
    private static let placeOnly: CInt = 0o10_000_000

    /// The folders and links in the order of the walk, and at the end the file.
    package private(set) var places: [Place] = []
    /// The error that ended the walk early.
    package private(set) var failure: Errno?
    private var folder = AT_FDCWD
    private var name = "."

    /// A relative path starts at the working folder, whose own path isn't walked.
    package init(_ path: String) {
        do throws(Errno) {
            try walk(path)
        } catch {
            failure = error
        }
    }

    deinit {
        close(folder)
    }

    private mutating func walk(_ path: String) throws(Errno) {
        var names = try start(path)
        var links = 0
        while let next = names.popLast() {
            let above = places.last { $0.isFolder }?.path ?? "/"
            let (found, place) = try openPlace(next, above == "/" ? "/\(next)" : "\(above)/\(next)")
            if place.isFolder {
                close(folder)
                folder = found
                continue
            }
            defer { close(found) }
            guard place.isLink else {
                guard names.isEmpty else { throw .notDirectory }
                name = next
                return
            }
            links += 1
            guard links <= Self.limit else { throw .tooManySymbolicLinkLevels }
            guard let target = try Self.linkTarget("", in: found) else { throw .last }
            names += target.utf8.first == UInt8(ascii: "/") ? try start(target) : Self.names(of: target)
        }
    }

    /// Opens the folder at which a path starts, and returns the path's names, the last one first.
    private mutating func start(_ path: String) throws(Errno) -> [String] {
        let first = path.utf8.first == UInt8(ascii: "/") ? "/" : "."
        let start = try openPlace(first, first).0
        close(folder)
        folder = start
        return Self.names(of: path)
    }

    private static func names(of path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }.filter { $0 != "." }.reversed()
    }

    private mutating func openPlace(_ name: String, _ path: String) throws(Errno) -> (CInt, Place) {
        let opened = unsafe openat(folder, name, Self.placeOnly | O_NOFOLLOW | O_CLOEXEC)
        var found = stat()
        guard opened >= 0, unsafe fstat(opened, &found) == 0 else { throw .last }
        let place = Place(path: path, found: found)
        places.append(place)
        return (opened, place)
    }

    /// Opens the file or folder for reading.
    package func open() throws(Errno) -> FileDescriptor {
        if let failure { throw failure }
        let file = unsafe openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { throw .last }
        return FileDescriptor(rawValue: file)
    }

    /// The places that belong to other users than this one and root.
    package var foreign: [Place] { places.filter { $0.found.st_uid != 0 && $0.found.st_uid != Self.ownUser } }

    /// Returns the places that other users can replace or change if they have one of these permissions.
    ///
    /// In a sticky folder, such as `/tmp`, others can't replace a folder that isn't theirs. But they can move our files
    /// and links into it.
    package func places(openTo others: mode_t) -> [Place] {
        places.indices.filter { index in
            let (mode, next) = (places[index].found.st_mode, index + 1)
            let isSticky = places[index].isFolder && mode & S_ISVTX != 0
            return mode & others != 0 && !places[index].isLink
                && (!isSticky || next < places.count && !places[next].isFolder)
        }.map { places[$0] }
    }

    /// Whether the path leads somewhere, and only this user and root can change where.
    package var isOurs: Bool { failure == nil && foreign.isEmpty && places(openTo: 0o022).isEmpty }

    /// This process's user; `nil` if its number stands for all users that this user namespace doesn't map.
    private static let ownUser: uid_t? = {
        let unmapped = (try? readProcFile("/proc/sys/kernel/overflowuid")).flatMap { uid_t($0.dropLast()) } ?? 65_534
        return geteuid() != unmapped || (try? UserNamespace.isIdentity()) == true ? geteuid() : nil
    }()

    /// Returns the path that the link leads to; `nil` if it isn't a link.
    package static func linkTarget(_ path: String, in folder: CInt = AT_FDCWD) throws(Errno) -> String? {
        let longest = 4_096
        var length = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: longest) { buffer, count in
            if let start = buffer.baseAddress { length = unsafe readlinkat(folder, path, start, longest) }
            count = max(0, length)
        }
        guard length >= 0 else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .invalidArgument }
        return text
    }
}
