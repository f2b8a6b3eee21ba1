// SPDX-License-Identifier: Apache-2.0

import Addresses
import GatewayCore
import HTTPTypes

/// The conversion of references to an instance's own address, which no client can reach, into references that
/// a client can use.
struct InstanceReferences {
    private static let scheme = Array("http://".utf8)
    private static let loopbackHosts = ["127.0.0.1", "localhost", "[::1]"]

    /// The possible names of the instance for itself, each with its port.
    private let authorities: [[UInt8]]
    private let base: [UInt8]

    /// Creates the conversion from an instance's address to the client's base.
    init(to instance: InstanceAddress, base: ClientBase) {
        var authorities = [instance.authority]
        if instance.ip.isLoopback { authorities += Self.loopbackHosts.map { "\($0):\(instance.port)" } }
        self.authorities = authorities.map { Array($0.utf8) }
        self.base = base.text
    }

    /// Returns the fields with `Link` and `Location` converted for the client. All other fields are unchanged.
    func replaced(in fields: FieldList) -> FieldList {
        var result = FieldList(fields: fields.count, bytes: fields.byteCount + base.count)
        for index in 0..<fields.count {
            let value = fields.value(at: index)
            let replaced: [UInt8] =
                switch fields.knownName(at: index) {
                case .location: reference(value)
                case .link: links(value)
                default: Array(value)
                }
            result.append(name: Array(fields.name(at: index)), value: replaced[...])
        }
        return result
    }

    /// Converts a reference (RFC 3986 §4.1). If the reference begins with the instance's address, the client's base
    /// replaces that address.
    private func reference(_ text: ArraySlice<UInt8>) -> [UInt8] {
        guard text.startsIgnoringCase(Self.scheme) else { return Array(text) }
        let remainder = text.dropFirst(Self.scheme.count)
        for authority in authorities where remainder.startsIgnoringCase(authority) {
            let path = remainder.dropFirst(authority.count)
            guard let next = path.first else { return base }
            guard next == UInt8(ascii: "/") || next == UInt8(ascii: "?") || next == UInt8(ascii: "#") else { continue }
            return base + path
        }
        return Array(text)
    }

    /// Converts the targets in a list of links (RFC 8288 §3), which are between angle
    /// brackets. Parameters are unchanged.
    private func links(_ value: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var isQuoted = false
        var index = value.startIndex
        while index < value.endIndex {
            let byte = value[index]
            if isQuoted, byte == UInt8(ascii: "\\"), index + 1 < value.endIndex {
                result += value[index...(index + 1)]
                index += 2
            } else if !isQuoted, byte == UInt8(ascii: "<"),
                let end = value[index...].firstIndex(of: UInt8(ascii: ">"))
            {
                result.append(byte)
                result += reference(value[(index + 1)..<end])
                index = end
            } else {
                if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
                result.append(byte)
                index += 1
            }
        }
        return result
    }
}
