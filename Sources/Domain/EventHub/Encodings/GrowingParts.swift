// SPDX-License-Identifier: Apache-2.0

/// The state of one part whose text the model is still writing.
protocol GrowingPart: Sendable {
    var session: [UInt8] { get }
    var message: [UInt8] { get }
    /// The memory that the part uses, in bytes.
    var size: Int { get }
}

/// The parts whose text the model is still writing, by id. The memory of the table is limited. At the limit, the table
/// evicts the part that has not changed for the longest time.
struct GrowingParts<Part: GrowingPart>: Sendable {
    private struct Entry: Sendable {
        var part: Part
        /// The number of the part's last change. The changes of all parts have consecutive numbers.
        var change: UInt64
    }

    /// The maximum number of parts, and the maximum memory of all parts in bytes.
    static var mostParts: Int { 256 }
    static var mostBytes: Int { 4 << 20 }

    private var entries: [[UInt8]: Entry] = [:]
    private var changes: UInt64 = 0
    private(set) var size = 0

    var isEmpty: Bool { entries.isEmpty }

    /// All parts, in no particular order.
    var all: [(id: [UInt8], part: Part)] { entries.map { ($0.key, $0.value.part) } }

    subscript(id: [UInt8]) -> Part? { entries[id]?.part }

    /// Replaces the state of a part, and marks the part as the part that changed last.
    mutating func put(_ part: Part, _ id: [UInt8]) {
        changes += 1
        size += part.size - (entries.updateValue(Entry(part: part, change: changes), forKey: id)?.part.size ?? 0)
    }

    /// Changes a part in place, and marks the part as the part that changed last.
    mutating func change(_ id: [UInt8], _ body: (inout Part) -> Void) {
        changes += 1
        guard let index = entries.index(forKey: id) else { return }
        size -= entries.values[index].part.size
        body(&entries.values[index].part)
        entries.values[index].change = changes
        size += entries.values[index].part.size
    }

    mutating func forget(_ id: [UInt8]) { size -= entries.removeValue(forKey: id)?.part.size ?? 0 }

    mutating func forget(where isRemoved: (Part) -> Bool) {
        guard entries.contains(where: { isRemoved($0.value.part) }) else { return }
        entries = entries.filter { !isRemoved($0.value.part) }
        size = entries.values.reduce(0) { $0 + $1.part.size }
    }

    /// Returns the parts that must be evicted before the part with this id can grow by `bytes`, in the order of
    /// eviction. Returns nil if the part is too large.
    func victims(for id: [UInt8], bytes: Int) -> [[UInt8]]? {
        let current = entries[id]?.part.size ?? 0
        guard current + bytes <= Self.mostBytes else { return nil }
        var size = size + bytes
        var count = entries.count + (entries[id] == nil ? 1 : 0)
        guard size > Self.mostBytes || count > Self.mostParts else { return [] }
        var victims: [[UInt8]] = []
        for (key, entry) in entries.sorted(by: { $0.value.change < $1.value.change }) where key != id {
            guard size > Self.mostBytes || count > Self.mostParts else { break }
            size -= entry.part.size
            count -= 1
            victims.append(key)
        }
        return victims
    }
}
