import Keyutils
import SessionKeyring
import StressSuite

/// Who makes a call, and how the values that it writes can be told from the others'.
enum Role: UInt32 {
    /// What makes the state before, and looks at it afterwards.
    case scene = 1
    case first, second

    var worker: UInt32 { rawValue }
    var stamp: Stamp { Stamp(writer: rawValue, number: 1) }

    /// The timeout of what it writes, in seconds; no two of these look alike in `/proc/keys`.
    var timeout: UInt32 {
        switch self {
        case .scene: 900
        case .first: 2 * 3_600
        case .second: 10 * 3_600
        }
    }

    /// The timeout that its expire gives.
    var expiry: UInt32 {
        switch self {
        case .scene: 50 * 60
        case .first: 2 * 86_400
        case .second: 5 * 86_400
        }
    }
}

/// The items of a scene.
enum SceneItem {
    static let namespace = "pairs"
    static let contested = ItemIdentity.password(service: "contested")
    /// One that no operation but a clear concerns, unless they are about two items.
    static let bystander = ItemIdentity.password(service: "bystander")
    static let lease = "contested"

    /// A value that tells who wrote it.
    static func value(_ stamp: Stamp, size: Int) -> String {
        let number = String(stamp.rawValue)
        return number + String(repeating: ".", count: max(0, size - number.utf8.count))
    }

    /// Who wrote the value; 0 where nobody did.
    static func stamp(of value: String?) -> UInt64 {
        value.flatMap { UInt64($0.prefix { $0 != "." }) } ?? 0
    }
}
