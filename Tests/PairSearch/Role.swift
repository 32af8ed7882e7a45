import Keyutils
import SessionKeyring
import StressSuite

/// The process that makes a call, with values that differ from those of the other processes.
enum Role: UInt32 {
    /// The scene itself, which creates the state and looks at it afterwards.
    case scene = 1
    case first, second, third

    var worker: UInt32 { rawValue }
    var stamp: Stamp { Stamp(writer: rawValue, number: 1) }

    /// The timeout of the values that it writes, in seconds; no two of these look alike in `/proc/keys`.
    var timeout: UInt32 {
        switch self {
        case .scene: 900
        case .first: 2 * 3_600
        case .second: 10 * 3_600
        case .third: 17 * 3_600
        }
    }

    /// The timeout that its expire sets, in seconds.
    var expiry: UInt32 {
        switch self {
        case .scene: 50 * 60
        case .first: 2 * 86_400
        case .second: 5 * 86_400
        case .third: 6 * 86_400
        }
    }
}

/// The items of a scene.
enum SceneItem {
    static let namespace = "pairs"
    static let contested = ItemIdentity.password(service: "contested")
    /// An item that only a clear changes, unless the operations use two items.
    static let bystander = ItemIdentity.password(service: "bystander")
    static let lease = "contested"

    /// Returns a value that shows who wrote it.
    static func value(_ stamp: Stamp, size: Int) -> String {
        let number = String(stamp.rawValue)
        return number + String(repeating: ".", count: max(0, size - number.utf8.count))
    }

    /// Returns the stamp of a value, which shows who wrote it; 0 for no value.
    static func stamp(of value: String?) -> UInt64 {
        value.flatMap { UInt64($0.prefix { $0 != "." }) } ?? 0
    }
}
