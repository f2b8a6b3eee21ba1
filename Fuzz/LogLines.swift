// modules: Locking Logging
// length: 64

import Glibc
import Logging

/// Whatever is logged, a line stays one line, no byte of it is a control character, and a JSON line is JSON.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let text = String(decoding: bytes, as: UTF8.self)
    let record = LogRecord(
        time: 0, level: .info, message: text, fields: [LogField(text, text), LogField("bytes", .bytes(bytes[...]))])
    var (asText, asJSON): ([UInt8], [UInt8]) = ([], [])
    var textEncoder = TextLogEncoder(offset: { _ in 0 })
    var jsonEncoder = JSONLogEncoder()
    textEncoder.encode(record, into: &asText)
    jsonEncoder.encode(record, into: &asJSON)
    for line in [asText, asJSON] {
        precondition(line.last == 0x0A && !line.dropLast().contains { $0 < 0x20 || $0 == 0x7F })
        precondition(String(validating: line, as: UTF8.self) != nil)
    }
    precondition(JSONReader.isValid(asJSON))
    return 0
}
