/// Reads in an event's JSON which directory it is about, as its bytes pass by (RFC 8259).
///
/// `/global/event` wraps events as `{"directory":…,"payload":…}`; V2's `/api/event` has `{"location":{"directory":…}}`. An
/// event of neither can still be about one project: `project.updated` names its `worktree`. Members may stand in any
/// order, keys and values may be escaped. It keeps the text of a wanted string only.
struct EventDirectoryReader {
    /// A member that is looked for.
    enum Finding: Equatable {
        /// The directory that the event belongs to; nil where its text is too long for a path.
        case directory([UInt8]?)
        /// The root of the project that the event is about.
        case worktree([UInt8]?)
    }

    private enum Key { case other, directory, location, payload, properties, data, worktree }

    /// One level of the objects in which a wanted member can stand.
    private struct Level {
        var isObject: Bool
        var expectsKey: Bool
        var key = Key.other
    }

    private enum Place {
        case between
        /// In a string of which nothing is kept.
        case skipped(isEscaped: Bool)
        /// In a string whose text is kept.
        case kept
        case ended
    }

    /// Wanted members stand in the third level at most.
    private static let deepest = 3

    private var place = Place.between
    private var depth = 0
    private var levels: [Level] = []
    private var text = JSONStringText()

    /// Whether nothing more can be found: the JSON has ended, or it is no object.
    var hasEnded: Bool { if case .ended = place { true } else { false } }

    /// Begins with another event; keeps its memory.
    mutating func reset() {
        place = .between
        depth = 0
        levels.removeAll(keepingCapacity: true)
    }

    /// Goes on at `index` up to the next finding; nil when all bytes have been taken.
    mutating func next(_ bytes: borrowing Span<UInt8>, _ index: inout Int) -> Finding? {
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch place {
            case .ended:
                index = bytes.count
                return nil
            case .between: takeStructure(byte)
            case .skipped(isEscaped: true): place = .skipped(isEscaped: false)
            case .skipped(isEscaped: false):
                if byte == UInt8(ascii: "\\") { place = .skipped(isEscaped: true) }
                if byte == UInt8(ascii: "\"") { place = .between }
            case .kept:
                guard text.take(byte) else { continue }
                place = .between
                if let finding = endText() { return finding }
            }
        }
        return nil
    }

    private mutating func takeStructure(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): beginString()
        case UInt8(ascii: "{"), UInt8(ascii: "["): open(isObject: byte == UInt8(ascii: "{"))
        case UInt8(ascii: "}"), UInt8(ascii: "]"): close()
        case UInt8(ascii: ","): if depth == levels.count { setExpectsKey() }
        case 0x20, 0x09, 0x0A, 0x0D: break
        // Anything else begins a text that is no object.
        default: if depth == 0 { place = .ended }
        }
    }

    private mutating func open(isObject: Bool) {
        guard isObject || depth > 0 else {
            place = .ended
            return
        }
        if depth == levels.count, depth < Self.deepest {
            levels.append(Level(isObject: isObject, expectsKey: isObject))
        }
        depth += 1
    }

    private mutating func close() {
        guard depth > 0 else {
            place = .ended
            return
        }
        if depth == levels.count { levels.removeLast() }
        depth -= 1
        if depth == 0 { place = .ended }
    }

    private mutating func setExpectsKey() {
        guard let last = levels.indices.last, levels[last].isObject else { return }
        levels[last].expectsKey = true
        levels[last].key = .other
    }

    private mutating func beginString() {
        guard depth > 0 else {
            place = .ended
            return
        }
        let isHere = depth == levels.count
        guard isHere, let level = levels.last, level.expectsKey || wanted != nil else {
            place = .skipped(isEscaped: false)
            return
        }
        text.removeAll()
        place = .kept
    }

    /// What a value at this place is.
    private var wanted: Key? {
        switch levels.count {
        case 1 where levels[0].key == .directory: .directory
        case 2 where levels[0].key == .location && levels[1].key == .directory: .directory
        case 2 where levels[0].key == .data && levels[1].key == .worktree: .worktree
        case 3 where levels[0].key == .payload && levels[1].key == .properties && levels[2].key == .worktree: .worktree
        default: nil
        }
    }

    /// A kept string is whole: a key, or the value of a wanted member.
    private mutating func endText() -> Finding? {
        guard let last = levels.indices.last else { return nil }
        if levels[last].expectsKey {
            levels[last].expectsKey = false
            levels[last].key = Self.key(text.bytes)
            return nil
        }
        switch wanted {
        case .directory: return .directory(text.bytes)
        case .worktree: return .worktree(text.bytes)
        default: return nil
        }
    }

    private static func key(_ text: [UInt8]?) -> Key {
        guard let text else { return .other }
        return keys.first { $0.name.elementsEqual(text) }?.key ?? .other
    }

    private static let keys: [(name: [UInt8], key: Key)] = [
        ("directory", .directory), ("location", .location), ("payload", .payload), ("properties", .properties),
        ("data", .data), ("worktree", .worktree),
    ].map { (Array($0.utf8), $1) }
}
