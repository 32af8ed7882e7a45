/// The answers to a process's requests, in memory that is shared with the process.
struct HelperReport: BitwiseCopyable {
    /// The largest number of requests of an operation.
    static let most = 3

    /// The number of requests that were answered.
    private(set) var count = 0
    private var texts = InlineArray<3, SharedText>(repeating: SharedText())
    private var invoked = InlineArray<3, UInt64>(repeating: 0)
    private var returned = InlineArray<3, UInt64>(repeating: 0)
    /// The error that ended the process's work; empty for none.
    var error = SharedText()

    var answers: [String] { (0..<count).map { texts[$0].text } }

    mutating func begin(at time: UInt64) { invoked[count] = time }

    mutating func end(_ answer: String, at time: UInt64) {
        texts[count].text = answer
        returned[count] = time
        count += 1
    }

    /// Whether this process's request `index` was answered before the other process made its request `other`.
    func isAnswered(_ index: Int, before other: Int, of report: HelperReport) -> Bool {
        returned[index] != 0 && report.invoked[other] != 0 && returned[index] < report.invoked[other]
    }

    /// The duration of the slowest request, in nanoseconds.
    var longest: UInt64 { (0..<count).map { returned[$0] - invoked[$0] }.max() ?? 0 }
}
