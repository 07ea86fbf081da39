/// The change of one key of a dictionary.
public enum DictionaryEdit<Content> {
    /// The key was inserted with a value.
    case insert(Content)
    /// The key was removed with its value.
    case remove(Content)
    /// The key got another value.
    case replace(Content, with: Content)

    /// The edit that turns one value into another, where `nil` means a missing key. `nil` if both are
    /// `nil`.
    public init?(from old: Content?, to new: Content?) {
        switch (old, new) {
        case (nil, nil): return nil
        case (nil, let new?): self = .insert(new)
        case (let old?, nil): self = .remove(old)
        case (let old?, let new?): self = .replace(old, with: new)
        }
    }

    /// The value before, or `nil` if the key was missing.
    public var old: Content? {
        switch self {
        case .insert: return nil
        case .remove(let old), .replace(let old, _): return old
        }
    }

    /// The value after, or `nil` if the key is missing.
    public var new: Content? {
        switch self {
        case .remove: return nil
        case .insert(let new), .replace(_, let new): return new
        }
    }

    /// The edit that undoes this one.
    public func reversed() -> DictionaryEdit {
        switch self {
        case .insert(let new): return .remove(new)
        case .remove(let old): return .insert(old)
        case .replace(let old, let new): return .replace(new, with: old)
        }
    }

    /// The same edit of values that `transform` computes.
    ///
    /// - Complexity: one or two calls of `transform`.
    public func map<Result>(_ transform: (Content) -> Result) -> DictionaryEdit<Result> {
        switch self {
        case .insert(let new): return .insert(transform(new))
        case .remove(let old): return .remove(transform(old))
        case .replace(let old, let new): return .replace(transform(old), with: transform(new))
        }
    }
}

extension DictionaryEdit: Equatable where Content: Equatable {}

extension DictionaryEdit: Sendable where Content: Sendable {}
