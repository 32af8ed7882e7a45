/// The error of a fetch that fails.
struct Refusal: Error {}
