extension InjectedFault {
    /// The workloads that have what it breaks, the best one to show it first.
    var workloads: [Workload] {
        switch self {
        case .dropWrite: [.mixed, .readHeavy, .writeHeavy, .classic, .expiry, .lease, .quota, .sessions]
        case .tearValue, .staleRead:
            [.writeHeavy, .mixed, .readHeavy, .update, .classic, .expiry, .lease, .quota, .sessions]
        case .keepDeleted: [.mixed, .classic, .quota, .sessions]
        case .shortList: [.mixed, .quota, .sessions]
        case .loseUpdate: [.update]
        case .shareLease: [.lease, .shortLease]
        case .outlive: [.expiry, .mixed, .readHeavy, .writeHeavy, .classic, .lease, .quota]
        }
    }
}
