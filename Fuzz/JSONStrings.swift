// SPDX-License-Identifier: Apache-2.0

// length: 128

import HTTPServer
import HTTPTypes
import JSONText

/// Checks that the JSON string that the gateway writes for a text has the same meaning as the text.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: data, count: count), as: UTF8.self)
    var string: [UInt8] = []
    string.append(jsonString: text)
    precondition(JSONReader.string(string).map { $0.elementsEqual(text.utf8) } ?? false)
    precondition(JSONReader.string(JSONText.quoted(text).utf8).map { $0.elementsEqual(text.utf8) } ?? false)
    precondition(JSONReader.isValid(GatewayAnswer(GatewayError(400, text)).body))
    return 0
}
