// SPDX-License-Identifier: Apache-2.0

// length: 128

import Glibc
import Logging

/// Checks that a log line with any text is one line without control characters, and that a line in JSON format is valid
/// JSON.
///
/// The input consists of a byte that selects a part of the line (a field's name, a field's value or the message), and
/// the text for this part.
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
