/// A dictionary of bounded size that forgets what was not written for longest. Every operation takes constant time.
///
/// It has two halves: entries are written to the young one, and when that is full it takes the place of the old one,
/// whose entries are gone unless they were written again meanwhile.
struct RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let capacity: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    /// A table that keeps the `capacity` entries written last, and at most twice as many.
    init(capacity: Int) {
        precondition(capacity > 0, "a table must have room for an entry")
        self.capacity = capacity
    }

    /// The number of entries, at most twice the capacity.
    var count: Int { young.count + old.count }

    /// The entry of a key; setting nil is not needed and does nothing.
    subscript(key: Key) -> Value? {
        get { young[key] ?? old[key] }
        set {
            guard let newValue else { return }
            if young[key] == nil {
                if young.count == capacity {
                    old = young
                    young = [:]
                }
                old[key] = nil
            }
            young[key] = newValue
        }
    }
}
