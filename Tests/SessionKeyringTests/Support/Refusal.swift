/// What a fetch throws that fails.
struct Refusal: Error {}
