/// One thing that was looked at, and what came of it.
struct DoctorCheck: Equatable {
    /// How bad it is.
    enum Verdict: String, CaseIterable {
        /// As it should be.
        case ok
        /// It works, with a weakness that is worth knowing.
        case warning
        /// It does not work.
        case problem
    }

    /// A name that scripts can rely on.
    let id: String
    let verdict: Verdict
    let text: String
    /// What to do about it, a command to copy; there is one unless all is well.
    let hint: DoctorHint?

    static func ok(_ id: String, _ text: String) -> DoctorCheck {
        DoctorCheck(id: id, verdict: .ok, text: text, hint: nil)
    }

    static func warning(_ id: String, _ text: String, hint: DoctorHint) -> DoctorCheck {
        DoctorCheck(id: id, verdict: .warning, text: text, hint: hint)
    }

    static func problem(_ id: String, _ text: String, hint: DoctorHint) -> DoctorCheck {
        DoctorCheck(id: id, verdict: .problem, text: text, hint: hint)
    }
}

/// A check, with what a program may want to know of it.
struct Finding {
    let check: DoctorCheck
    let facts: JSONValue
}
