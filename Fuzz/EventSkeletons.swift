// SPDX-License-Identifier: Apache-2.0

// length: 256

import OpenCodeFamilies

/// Checks that parsing a line ends, whatever the line contains. In an event that is built from the input, the parser
/// must find every member, in any order of the members and however they are escaped.
///
/// The input consists of a byte that selects the test case, and either a line or the bytes from which an event is
/// built.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    if input.byte() & 1 == 0 {
        let line = Array(input.remainder())
        for family in APIFamily.allCases {
            let skeleton = EventSkeleton(line: line.span, family: family)
            precondition(skeleton.payload.lowerBound >= 0 && skeleton.payload.upperBound <= line.count)
            let payload = line.span.extracting(skeleton.payload)
            if let text = PartText(skeleton, payload: payload) {
                for range in [text.part, text.text, text.delta].compactMap(\.self) {
                    precondition(range.upperBound <= skeleton.payload.count)
                }
            }
            if let delta = EventDelta(skeleton, payload: payload) {
                precondition(delta.range.upperBound < skeleton.payload.count)
            }
            _ = TurnBoundary(skeleton, payload: payload)
        }
    } else {
        checkMembers(&input)
    }
    return 0
}

private func checkMembers(_ input: inout FuzzInput) {
    let texts = (0..<4).map { _ in
        Array(String(decoding: input.bytes(endedBy: 0xFF) ?? [], as: UTF8.self).utf8)
    }
    let properties = object(
        [("sessionID", texts[0]), ("messageID", texts[1]), ("partID", texts[2])].map { ($0.0, string($0.1, &input)) },
        &input)
    let payload = object([("type", Array(#""message.part.delta""#.utf8)), ("properties", properties)], &input)
    let line = object([("directory", string(texts[3], &input)), ("payload", payload)], &input)
    let skeleton = EventSkeleton(line: line.span, family: .one)
    precondition(skeleton.type.elementsEqual("message.part.delta".utf8))
    precondition(skeleton.session == texts[0] && skeleton.message == texts[1] && skeleton.part == texts[2])
    precondition(skeleton.directory == (texts[3].isEmpty || texts[3].elementsEqual("global".utf8) ? nil : texts[3]))
    precondition(Array(line[skeleton.payload]) == payload)
    let plain = EventSkeleton(line: payload.span, family: .one)
    precondition(plain.session == texts[0] && plain.message == texts[1] && plain.part == texts[2])
}

/// Returns an object with its members in an order that the input determines, and with other members between them.
private func object(_ members: [(String, [UInt8])], _ input: inout FuzzInput) -> [UInt8] {
    var members = members.map { (string(Array($0.0.utf8), &input), $0.1) }
    let others: [String] = ["1", "null", #"{"type":"x","sessionID":"y"}"#, #"[{"directory":"/"},"]"]"#, #""\"}""#]
    members.append((Array(#""x""#.utf8), Array(others[Int(input.byte()) % others.count].utf8)))
    let turn = Int(input.byte()) % members.count
    let texts = (members[turn...] + members[..<turn]).map { $0.0 + Array(" : ".utf8) + $0.1 }
    return Array("{".utf8) + texts.joined(separator: Array(",".utf8)) + Array("}".utf8)
}

/// Returns a JSON string whose characters are escaped if the corresponding bits of the input are set.
private func string(_ text: [UInt8], _ input: inout FuzzInput) -> [UInt8] {
    var bits = input.byte()
    var result = Array("\"".utf8)
    for byte in text {
        bits = bits << 1 | bits >> 7
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): result += [UInt8(ascii: "\\"), byte]
        case 0x80...: result.append(byte)
        case _ where byte < 0x20 || bits & 1 == 1:
            let digits = String(byte, radix: 16)
            result += Array(("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
        default: result.append(byte)
        }
    }
    return result + Array("\"".utf8)
}
