import Addresses
import HTTPTypes

/// Makes references to an instance's own address, where no client can reach it, into ones that a client can use.
struct InstanceReferences {
    private static let scheme = Array("http://".utf8)
    private static let loopbackHosts = ["127.0.0.1", "localhost", "[::1]"]

    /// What the instance may call itself, each with its port.
    private let authorities: [[UInt8]]
    private let base: [UInt8]

    /// References to the instance at this address, which a client has at that base.
    init(to instance: InstanceAddress, base: ClientBase) {
        var authorities = [instance.authority]
        if instance.ip.isLoopback { authorities += Self.loopbackHosts.map { "\($0):\(instance.port)" } }
        self.authorities = authorities.map { Array($0.utf8) }
        self.base = base.text
    }

    /// The fields with `Link` and `Location` as the client can use them; all others as they are.
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

    /// A reference (RFC 3986 §4.1): the client's base in the place of the instance's address, if it begins with that.
    private func reference(_ text: ArraySlice<UInt8>) -> [UInt8] {
        guard text.startsIgnoringCase(Self.scheme) else { return Array(text) }
        let rest = text.dropFirst(Self.scheme.count)
        for authority in authorities where rest.startsIgnoringCase(authority) {
            let path = rest.dropFirst(authority.count)
            guard let next = path.first else { return base }
            guard next == UInt8(ascii: "/") || next == UInt8(ascii: "?") || next == UInt8(ascii: "#") else { continue }
            return base + path
        }
        return Array(text)
    }

    /// A list of links (RFC 8288 §3): each target between its angle brackets, parameters as they are.
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
