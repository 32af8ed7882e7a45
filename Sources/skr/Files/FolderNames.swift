import Glibc

/// The names in a folder; none where it can't be read.
enum FolderNames {
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
