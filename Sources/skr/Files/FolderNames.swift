import Glibc

/// Lists the names in a folder; the list is empty if the folder can't be read.
enum FolderNames {
    /// Leaves out each name that isn't UTF-8.
    static func all(in folder: String) -> [String] {
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(validatingCString: $0) }
            }
            if let name { names.append(name) }
        }
        return names
    }
}
