/// The answers of a process's requests, in memory that is shared with it.
struct HelperReport: BitwiseCopyable {
    /// How many requests an operation has at most.
    static let most = 3

    /// How many requests were answered.
    private(set) var count = 0
    private var texts = InlineArray<3, SharedText>(repeating: SharedText())
    private var invoked = InlineArray<3, UInt64>(repeating: 0)
    private var returned = InlineArray<3, UInt64>(repeating: 0)
    /// The error that ended it; empty for none.
    var error = SharedText()

    var answers: [String] { (0..<count).map { texts[$0].text } }

    mutating func begin(at time: UInt64) { invoked[count] = time }

    mutating func end(_ answer: String, at time: UInt64) {
        texts[count].text = answer
        returned[count] = time
        count += 1
    }

    /// Whether that request was answered before the other one was made.
    func isAnswered(_ index: Int, before other: Int, of report: HelperReport) -> Bool {
        returned[index] != 0 && report.invoked[other] != 0 && returned[index] < report.invoked[other]
    }

    /// How long its slowest request took, in nanoseconds.
    var longest: UInt64 { (0..<count).map { returned[$0] - invoked[$0] }.max() ?? 0 }
}
