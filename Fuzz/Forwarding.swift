// SPDX-License-Identifier: Apache-2.0

// length: 160

import HTTPTypes

@testable import Proxying

private typealias Field = (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)

private let connectionFields: [StaticString] = [
    "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    "proxy-authenticate", "proxy-authorization",
]
private let requestFields: [StaticString] = [
    "host", "authorization", "content-length", "expect", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto",
    "via",
]
private let trustFields: [StaticString] = ["forwarded", "x-real-ip"]
private let crossOriginFields: [StaticString] = [
    "access-control-allow-credentials", "access-control-allow-headers", "access-control-allow-methods",
    "access-control-allow-origin", "access-control-allow-private-network", "access-control-expose-headers",
    "access-control-max-age",
]
private let peer = Array("192.0.2.1".utf8)
private let gatewayAuthorization = Array("Basic own".utf8)

/// Checks that the gateway forwards the fields of requests and responses in order, without the fields that apply to a
/// single connection. Each field that the gateway adds must occur once.
///
/// The input consists of a byte that selects the kind of head, and lines of `name:value LF`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let kind = input.byte()
    var list = FieldList()
    var fields: [Field] = []
    while let line = input.bytes(endedBy: 0x0A) {
        let (name, value) = line.divided(at: UInt8(ascii: ":")) ?? (line, [])
        list.append(name: name.span, value: value.span)
        fields.append((name, Characters.trimmed(value)))
    }
    precondition(list.count == fields.count)
    for index in fields.indices {
        precondition(list.name(at: index) == fields[index].name && list.value(at: index) == fields[index].value)
        precondition(elements(fields[index].value).elementsEqual(ListElements(list.value(at: index))))
    }
    // The gateway considers only 32 options, so skip an input with more.
    let named = fields.filter { Characters.matches($0.name, "connection") }.flatMap { elements($0.value) }
    guard named.count <= 32 else { return 0 }
    let staying = fields.filter { field in
        !connectionFields.contains { Characters.matches(field.name, $0) }
            && !named.contains { matchesEachOther($0, field.name) }
    }
    if kind & 1 == 0 {
        checkRequest(kind, list, fields, staying, named)
    } else {
        checkResponse(kind, list, fields, staying)
    }
    return 0
}

private func elements(_ value: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    value.split(separator: UInt8(ascii: ",")).map(Characters.trimmed).filter { !$0.isEmpty }
}

private func matchesEachOther(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
    let lower = { (byte: UInt8) in (0x41...0x5A).contains(byte) ? byte + 0x20 : byte }
    return left.count == right.count && zip(left, right).allSatisfy { lower($0) == lower($1) }
}

private func checkRequest(
    _ kind: UInt8, _ list: FieldList, _ fields: [Field], _ staying: [Field], _ named: [ArraySlice<UInt8>]
) {
    let head = RequestHead()
    head.fields = list
    head.version = kind & 4 == 0 ? .http11 : .http10
    let offers = fields.filter { Characters.matches($0.name, "upgrade") }.flatMap { elements($0.value) }
    let offersWebSocket = offers.contains { Characters.matches($0, "websocket") }
    let isUpgrade = RequestForwarding.wantsUpgrade(head)
    precondition(
        isUpgrade
            == (head.version == .http11 && offersWebSocket && named.contains { Characters.matches($0, "upgrade") }))
    let isTrusted = kind & 8 != 0
    let forwarded = RequestForwarding.fields(
        of: head, from: peer, isTrusted: isTrusted, authorization: kind & 2 == 0 ? gatewayAuthorization : nil,
        isUpgrade: isUpgrade)
    var remaining = Expectation(forwarded)
    for field in staying where !requestFields.contains(where: { Characters.matches(field.name, $0) }) {
        let isAboutTrust =
            trustFields.contains { Characters.matches(field.name, $0) }
            || field.name.count > 12 && Characters.matches(field.name.prefix(12), "x-forwarded-")
        if isTrusted || !isAboutTrust { remaining.expect(field.name, field.value) }
    }
    if isUpgrade {
        remaining.expect("Connection", "Upgrade".utf8)
        remaining.expect("Upgrade", "websocket".utf8)
    }
    if kind & 2 == 0 { remaining.expect("Authorization", gatewayAuthorization) }
    remaining.expect("X-Forwarded-For") { isTrusted ? $0.ends(with: "192.0.2.1") : $0.elementsEqual(peer) }
    remaining.expect("X-Forwarded-Proto") { isTrusted || $0.elementsEqual("http".utf8) }
    if fields.contains(where: {
        Characters.matches($0.name, "host") || isTrusted && Characters.matches($0.name, "x-forwarded-host")
    }) {
        remaining.expect("X-Forwarded-Host") { _ in true }
    }
    remaining.expect("Via") {
        $0.ends(with: head.version == .http11 ? "1.1 viberemote-gateway" : "1.0 viberemote-gateway")
    }
    remaining.expectEnd()
}

private func checkResponse(_ kind: UInt8, _ list: FieldList, _ fields: [Field], _ staying: [Field]) {
    let head = ResponseHead(status: kind & 4 == 0 ? 200 : 404, fields: list)
    let type = fields.first { Characters.matches($0.name, "content-type") }?.value
        .split(separator: UInt8(ascii: ";"), maxSplits: 1, omittingEmptySubsequences: false).first
    let isStream =
        head.status == 200 && type.map { Characters.matches(Characters.trimmed($0), "text/event-stream") } ?? false
    precondition(head.isEventStream == isStream)
    let answer = ResponseForwarding.head(head)
    precondition(answer.status == head.status)
    var remaining = Expectation(answer.fields)
    for field in staying where !Characters.matches(field.name, "content-length") {
        let isReplaced =
            Characters.matches(field.name, "cache-control") || Characters.matches(field.name, "x-accel-buffering")
        let isOfBrowsers = crossOriginFields.contains { Characters.matches(field.name, $0) }
        if !(isStream && isReplaced) && !isOfBrowsers { remaining.expect(field.name, field.value) }
    }
    if isStream {
        remaining.expect("Cache-Control", "no-cache, no-transform".utf8)
        remaining.expect("X-Accel-Buffering", "no".utf8)
    }
    remaining.expectEnd()
    // A forwarded trailer field never frames, routes or authenticates a message.
    let trailers = ResponseForwarding.trailers(list)
    for index in 0..<trailers.count {
        let name = trailers.name(at: index)
        precondition(!(connectionFields + requestFields).contains { Characters.matches(name, $0) })
    }
    let switching = ResponseForwarding.upgradeHead(head)
    let upgrades = fields.count { Characters.matches($0.name, "upgrade") }
    let lengths = staying.count { field in
        Characters.matches(field.name, "content-length")
            || crossOriginFields.contains { Characters.matches(field.name, $0) }
    }
    precondition(switching.status == 101 && switching.fields.count == staying.count - lengths + upgrades)
}

/// Reads a list from the front and compares its fields.
private struct Expectation {
    private let fields: FieldList
    private var index = 0

    init(_ fields: FieldList) { self.fields = fields }

    mutating func expect(_ name: some Collection<UInt8>, _ value: some Collection<UInt8>) {
        precondition(fields.name(at: index).elementsEqual(name) && fields.value(at: index).elementsEqual(value))
        index += 1
    }

    mutating func expect(_ name: String, _ value: some Collection<UInt8>) { expect(name.utf8, value) }

    mutating func expect(_ name: String, where isRight: (ArraySlice<UInt8>) -> Bool) {
        precondition(fields.name(at: index).elementsEqual(name.utf8) && isRight(fields.value(at: index)))
        index += 1
    }

    func expectEnd() { precondition(index == fields.count) }
}

extension ArraySlice<UInt8> {
    fileprivate func ends(with text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
