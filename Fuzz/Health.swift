// SPDX-License-Identifier: Apache-2.0

// length: 128

import OpenCodeFamilies

private let healthy = Array(#"{"healthy":true,"version":"#.utf8)
private let unhealthy = Array(#"{"healthy":false,"version":"#.utf8)

/// Checks that an instance counts as healthy only after a response with status 200 that contains a JSON `true`, or a
/// version at `/api/info`. Each reason must be one line, and the version must be returned unchanged.
///
/// The input consists of a byte that selects the status and the path, and the body of the response. If the byte is 192
/// or more, the remaining bytes are a version.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let kind = input.byte()
    let body = Array(input.remainder())
    guard kind < 192 else {
        checkVersion(String(decoding: body, as: UTF8.self))
        return 0
    }
    let status = kind < 160 ? 200 : [204, 301, 401, 404, 500, 503, 599, 999][Int(kind) % 8]
    let path = HealthPath.allCases[Int(kind) % HealthPath.allCases.count]
    let answer = HealthAnswer(status: status, body: body, path: path)
    switch answer {
    case .healthy(let version, _):
        // The decoder is lenient with unused members, but the value that it returns must be in the body.
        precondition(status == 200 && (version?.utf8.count ?? 0) <= body.count)
        let text = String(decoding: body.filter { $0 != 0 }, as: UTF8.self)
        precondition(text.contains("true") || (path == .info && version != nil))
    case .otherwise:
        let reason = answer.trouble(at: path) ?? ""
        precondition(!reason.isEmpty && reason.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
    case .unauthorized(let reason):
        precondition(status == 401 && !reason.isEmpty)
    case .unhealthy(let reason):
        precondition(!reason.isEmpty && reason.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
    }
    return 0
}

/// Checks a version in both spellings of the characters that JSON may escape.
private func checkVersion(_ version: String) {
    let string = quoted(version)
    for path in HealthPath.allCases {
        let answer = HealthAnswer(status: 200, body: healthy + string + [0x7D], path: path)
        precondition(answer == .healthy(version: version))
    }
    guard case .unhealthy = HealthAnswer(status: 200, body: unhealthy + string + [0x7D], path: .info) else {
        preconditionFailure("an instance that says that it is not healthy")
    }
}

private func quoted(_ text: String) -> [UInt8] {
    var bytes = [UInt8(ascii: "\"")]
    for unit in text.utf16 {
        if unit >= 0x20, unit < 0x7F, unit != 0x22, unit != 0x5C {
            bytes.append(UInt8(truncatingIfNeeded: unit))
        } else {
            bytes += Array("\\u".utf8)
            for shift in stride(from: 12, through: 0, by: -4) {
                bytes.append(contentsOf: String(unit >> UInt16(shift) & 15, radix: 16).utf8)
            }
        }
    }
    return bytes + [UInt8(ascii: "\"")]
}
