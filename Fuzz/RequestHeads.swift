// SPDX-License-Identifier: Apache-2.0

// length: 256

import Glibc
import HTTPTypes

private let methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE"]

/// Checks that the gateway accepts a request head if and only if no other parser could interpret the head differently.
/// The body must end where the head declares.
///
/// The input consists of a byte that selects the HTTP version, `METHOD SP target LF`, and lines of `name:value LF`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let head = RequestHead()
    head.version = input.byte() & 1 == 0 ? .http11 : .http10
    let (method, target) = input.bytes(endedBy: 0x0A)?.divided(at: 0x20) ?? ([], [])
    head.methodName = String(decoding: method, as: UTF8.self)
    head.method = Method(name: head.methodName)
    head.target = Array(target)
    var framing = FramingFields()
    var hosts = 0
    var hasGoodHosts = true
    var isClean = Characters.isToken(method) && !target.isEmpty && target.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    while let line = input.bytes(endedBy: 0x0A) {
        let (name, value) = line.divided(at: UInt8(ascii: ":")) ?? (line, [])
        head.fields.append(name: name.span, value: value.span)
        let trimmed = Characters.trimmed(value)
        framing.add(name, trimmed)
        if Characters.matches(name, "host") {
            hosts += 1
            hasGoodHosts = hasGoodHosts && isHost(trimmed)
        }
        isClean = isClean && Characters.isToken(name) && Characters.isFieldValue(trimmed)
    }
    let mayPass =
        isClean && hasGoodHosts && framing.isClear && (hosts == 1 || hosts == 0 && head.version == .http10)
        && !(framing.isChunked && head.version == .http10) && (framing.length ?? 0) < 1 << 63
    do {
        let verdict = try RequestFraming.of(head)
        precondition(mayPass)
        switch verdict {
        case .none: precondition(!framing.isChunked && (framing.length ?? 0) == 0)
        case .length(let length): precondition(length > 0 && length == framing.length)
        case .chunked: precondition(framing.isChunked && framing.lengths == 0)
        }
    } catch {
        precondition(!mayPass)
        check(error, head, framing, hosts)
    }
    precondition((head.method == .other) == !methods.contains(head.methodName))
    return 0
}

/// Checks that the sentence in the client's response is correct.
private func check(_ refusal: RequestFraming.FramingError, _ head: RequestHead, _ framing: FramingFields, _ hosts: Int)
{
    switch refusal {
    case .lengthAndTransferEncoding: precondition(framing.lengths > 0 && framing.codings > 0)
    case .severalLengths: precondition(framing.lengths > 1)
    case .lengthIsNoNumber: precondition(framing.lengths > 0)
    case .lengthTooLarge:
        precondition(
            (0..<head.fields.count).contains { index in
                Characters.matches(head.fields.name(at: index), "content-length")
                    && isTooLarge(head.fields.value(at: index))
            })
    case .unknownTransferEncoding: precondition(framing.codings > 1 || framing.codings == 1 && !framing.isChunked)
    case .transferEncodingInHTTP10: precondition(framing.codings > 0 && head.version == .http10)
    case .missingHost: precondition(hosts == 0)
    case .severalHosts: precondition(hosts > 1)
    case .badHost:
        precondition(
            (0..<head.fields.count).contains { index in
                Characters.matches(head.fields.name(at: index), "host") && !isHost(head.fields.value(at: index))
            })
    case .badTarget: precondition(head.target.isEmpty || head.target.contains { $0 <= 0x20 || $0 == 0x7F })
    case .badMethod: precondition(!Characters.isToken(head.methodName.utf8))
    case .badFieldName:
        precondition((0..<head.fields.count).contains { !Characters.isToken(head.fields.name(at: $0)) })
    case .badFieldValue:
        precondition((0..<head.fields.count).contains { !Characters.isFieldValue(head.fields.value(at: $0)) })
    case .badLineEnding: preconditionFailure("line endings are not looked at here")
    }
}

/// Returns whether the value is a number of 2^63 or more.
private func isTooLarge(_ value: ArraySlice<UInt8>) -> Bool {
    guard !value.isEmpty, value.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
    return (UInt64(String(decoding: value, as: UTF8.self)) ?? .max) >= 1 << 63
}

/// Parses `uri-host [ ":" port ]` with a regular expression, and an IPv6 address with inet_pton(3).
private func isHost(_ value: ArraySlice<UInt8>) -> Bool {
    let text = String(decoding: value, as: UTF8.self)
    guard text.utf8.elementsEqual(value), let match = text.wholeMatch(of: host) else { return false }
    if let port = match.output.port,
        port.drop(while: { $0 == "0" }).count > 5 || Int(port).map({ $0 > 65_535 }) ?? false
    {
        return false
    }
    guard let literal = match.output.literal else { return true }
    var address = in6_addr()
    return literal.wholeMatch(of: future) != nil || inet_pton(AF_INET6, String(literal), &address) == 1
}

nonisolated(unsafe) private let host =  // The value is only read.
    /(?:\[(?<literal>[A-Za-z0-9\-._~!$&'()*+,;=:]+)\]|(?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})*)(?::(?<port>[0-9]*))?/
    .asciiOnlyDigits().matchingSemantics(.unicodeScalar)

nonisolated(unsafe) private let future =  // The value is only read.
    /[vV][0-9A-Fa-f]+\.[A-Za-z0-9\-._~!$&'()*+,;=:]+/
    .asciiOnlyDigits().matchingSemantics(.unicodeScalar)
