import Keyutils

/// Finds the name that a mistyped name probably means.
package enum NearestName {
    /// Returns the nearest name, counting the letters to insert, delete, replace or swap.
    ///
    /// If no name is near enough, it returns the first one that begins with the word, or else `nil`.
    package static func to(_ word: String, among names: [String]) -> String? {
        let near = names.map { (name: $0, distance: distance(from: Array(word.lowercased()), to: Array($0))) }
            .min { $0.distance < $1.distance }
        guard let near, near.distance <= max(1, min(word.count, near.name.count) / 2) else {
            let longer = names.filter { word.count > 1 && $0.hasPrefix(word.lowercased()) }
            return longer.count == 1 ? longer.first : nil
        }
        return near.name
    }

    private static func distance(from word: [Character], to name: [Character]) -> Int {
        var older: [Int] = []
        var row = Array(0...name.count)
        for i in word.indices {
            var next = [i + 1]
            for j in name.indices {
                let replaced = row[j] + (word[i] == name[j] ? 0 : 1)
                var best = min(replaced, row[j + 1] + 1, next[j] + 1)
                if i > 0, j > 0, word[i] == name[j - 1], word[i - 1] == name[j] { best = min(best, older[j - 1] + 1) }
                next.append(best)
            }
            (older, row) = (row, next)
        }
        return row[name.count]
    }
}
