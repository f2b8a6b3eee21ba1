/// Encoded records, one behind the other: what waits in the queue, or what is being written out.
struct LogBatch: Sendable {
    /// The records' bytes.
    var bytes: [UInt8] = []
    /// Where each record ends in `bytes`.
    var ends: [Int] = []
    /// How many dropped records the batch's last one tells of; 0 where there is no such line.
    var droppedTold = 0

    /// Empties the batch. A burst's memory is given back; the ordinary amount is kept so that logging does not allocate.
    mutating func clear() {
        let isLarge = bytes.capacity > 256 * 1024
        bytes.removeAll(keepingCapacity: !isLarge)
        ends.removeAll(keepingCapacity: !isLarge)
        droppedTold = 0
    }

    /// Encodes a record behind the others; false where they would be longer than `limit` together, and then nothing changes.
    mutating func append(_ record: LogRecord, encoder: inout LogEncoder, limit: Int) -> Bool {
        let start = bytes.count
        encoder.encode(record, into: &bytes)
        guard bytes.count <= limit else {
            bytes.removeSubrange(start...)
            return false
        }
        ends.append(bytes.count)
        return true
    }
}
