import CommandSupport
import SessionKeyring

/// Tells what this login gives us, what is wrong, and how to hint it.
struct DoctorAction: VerbAction {
    let place: Place
    let asJSON: Bool

    func run() throws {
        let report = try Self.examine(place)
        if asJSON {
            try Console.writeLine(report.json())
        } else {
            try Console.write(report.text(styled: .wanted))
        }
        guard !report.isUsable else { return }
        throw CommandError(
            exitCode: .unavailable, message: "no scope keeps secrets here", hint: "the lines marked 'problem' say why")
    }

    static func examine(_ place: Place) throws(SecretStoreError) -> DoctorReport {
        let refusals = CallsCheck.refusals()
        // Counted before the probes, whose keys the kernel gives back a moment late.
        let sessionOwner = (try? ResolvedScope(lookingAt: .session))?.description.userID
        let quota = QuotaCheck.finding(sessionOwner: sessionOwner)
        var scopes: [ScopeExamination] = []
        for name in Place.Scope.allCases { scopes.append(try ScopeExamination(of: name, place: place)) }
        let findings =
            [CallsCheck.finding(refusals), FeaturesCheck.finding(), UserNamespaceCheck.finding(place: place)]
            + scopes.map { $0.finding() }
            + [
                quota,
                TimeLeftCheck.finding(probes: scopes.compactMap(\.probe)),
                MemoryLockCheck.finding(),
            ]
        return DoctorReport(findings: findings, isUsable: scopes.contains { $0.probe != nil })
    }
}
