package import StressVocabulary

// Defined apart, where `skr`, which does without Foundation, can have the names for its help and completions.
package typealias Workload = StressVocabulary.Workload
package typealias Sabotage = StressVocabulary.Sabotage
