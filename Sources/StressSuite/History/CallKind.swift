/// A call of the store, as figures name it.
package enum CallKind: String, Codable, Sendable, CaseIterable {
    case get, set, add, delete, clear, list, update, lease
}
