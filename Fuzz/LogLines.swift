// SPDX-License-Identifier: Apache-2.0

// length: 128

import Glibc
import Logging

/// For every text, a log line remains one line without control characters, and a JSON line is JSON.
///
/// The input consists of a byte for the position and the text at that position.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let position = input.byte() % 4
    let bytes = input.remainder()
    let text = String(decoding: bytes, as: UTF8.self)
    let field =
        switch position {
        case 0: LogField(text, 1)
        case 1: LogField("name", text)
        default: LogField("name", .bytes(bytes))
        }
    let record = LogRecord(time: 0, level: .info, message: position == 3 ? text : "message", fields: [field])
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
