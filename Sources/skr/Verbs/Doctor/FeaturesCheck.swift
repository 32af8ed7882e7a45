import Keyutils

/// Which features the kernel's key facility was built with, and what they are for.
enum FeaturesCheck {
    private static let names: [(feature: KeyringCapabilities, name: String)] = [
        (.persistentKeyrings, "persistentKeyrings"), (.diffieHellman, "diffieHellman"), (.publicKey, "publicKey"),
        (.bigKey, "bigKey"), (.invalidate, "invalidate"), (.restrictKeyring, "restrictKeyring"), (.move, "move"),
        (.namespacedKeyringNames, "namespacedKeyringNames"), (.namespaceTags, "namespaceTags"),
        (.notifications, "notifications"),
    ]

    static func finding() -> Finding {
        do throws(KeyringError) {
            let found = try KeyringCapabilities.query()
            let list = names.filter { found.contains($0.feature) }.map { JSONValue.string($0.name) }
            return Finding(check: check(found), facts: .array(list))
        } catch {
            let isOld = error.code == .unsupported
            let reason = isOld ? "this kernel is older than 5.3, and can't move a key in one step" : "\(error)"
            return Finding(
                check: .problem("features", reason, hint: isOld ? DoctorHint.newKernel : DoctorHint.allowCalls),
                facts: .null)
        }
    }

    private static func check(_ found: KeyringCapabilities) -> DoctorCheck {
        guard found.contains([.move, .invalidate]) else {
            return .problem(
                "features", "this kernel can't move or invalidate a key, which atomic writes need",
                hint: DoctorHint.newKernel
            )
        }
        let size =
            found.contains(.bigKey)
            ? "big_key (secrets of up to \(Key.largestBigPayload) bytes)"
            : "no big_key (secrets of up to \(Key.largestUserPayload) bytes)"
        let persistent =
            found.contains(.persistentKeyrings) ? "persistent keyrings" : "no persistent keyrings (nor that scope)"
        let watching =
            found.contains(.notifications) ? "notifications (keys can be watched)" : "no notifications (no watching)"
        return .ok("features", "move and invalidate (atomic writes), \(size), \(persistent), \(watching)")
    }
}
