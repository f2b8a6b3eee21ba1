/// Memory of requests' texts that is used again, so that a small request allocates none for its text.
struct TextPool {
    private static let most = 64
    /// A longer text's memory is given back.
    private static let largest = 8 * 1024

    private var spare: [[UInt8]] = []

    /// Empty memory, with room where there is some.
    mutating func take() -> [UInt8] { spare.popLast() ?? [] }

    /// Takes memory back.
    mutating func giveBack(_ text: consuming [UInt8]) {
        guard spare.count < Self.most, 1...Self.largest ~= text.capacity else { return }
        text.removeAll(keepingCapacity: true)
        spare.append(text)
    }
}
