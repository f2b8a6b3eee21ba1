// SPDX-License-Identifier: Apache-2.0

// length: 128

import Addresses
import HTTPTypes

@testable import Proxying

private let addresses = ["127.0.0.1:4096", "localhost:4096", "[::1]:4096"].map { Array("http://\($0)".utf8) }
private let base = Array("http://h/projects/demo/api".utf8)
private let references: InstanceReferences = {
    let head = RequestHead()
    head.target = Array("/projects/demo/api/x".utf8)
    head.fields.append("Host", "h")
    return InstanceReferences(
        to: InstanceAddress(ip: .loopback, port: 4096),
        base: ClientBase(head, segment: Array("demo".utf8)[...], isTrusted: false))
}()

/// Checks that the gateway replaces the instance's address in references with the address that the client uses, and
/// leaves all other values unchanged.
///
/// The input consists of a byte that selects the field, and the field's value.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let isLink = input.byte() & 1 == 0
    // Use only characters that a field value may contain.
    let value = Characters.trimmed(input.remainder()[...].filter { $0 >= 0x20 && $0 != 0x7F }[...])
    let result = Array(replaced(isLink ? "Link" : "Location", value))
    precondition(replaced(isLink ? "X-Link" : "Refresh", value).elementsEqual(value))
    if !isLink {
        let remaining = addresses.lazy.compactMap { suffix($0, value) }.first
        precondition(result.elementsEqual(remaining.map { base + $0 } ?? Array(value)))
        return 0
    }
    guard !result.elementsEqual(value) else { return 0 }
    // Only an address directly after a bracket can have been replaced.
    let brackets = value.indices.filter { value[$0] == UInt8(ascii: "<") }
    precondition(brackets.contains { index in addresses.contains { value[(index + 1)...].startsIgnoringCase($0) } })
    precondition(!value.contains(UInt8(ascii: "\"")) || result.contains(UInt8(ascii: "\"")))
    let again = references.replaced(in: FieldList(link: result))
    precondition(again.value(at: 0).elementsEqual(result))
    return 0
}

private func replaced(_ name: String, _ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var fields = FieldList()
    fields.append(name: Array(name.utf8), value: value)
    return references.replaced(in: fields).value(at: 0)
}

/// Returns the part after the instance's address; nil if the value does not begin with it.
private func suffix(_ address: [UInt8], _ value: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard value.startsIgnoringCase(address) else { return nil }
    let remaining = value.dropFirst(address.count)
    guard let next = remaining.first else { return remaining }
    return "/?#".utf8.contains(next) ? remaining : nil
}

extension FieldList {
    fileprivate init(link: [UInt8]) {
        self.init()
        append(name: Array("Link".utf8), value: link[...])
    }
}
