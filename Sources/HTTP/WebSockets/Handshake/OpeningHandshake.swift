// SPDX-License-Identifier: Apache-2.0

internal import Encodings
package import HTTPTypes

/// The server side of the opening handshake (RFC 6455 §4.2).
package enum OpeningHandshake {
    /// The reasons why a request does not open a WebSocket.
    package enum HandshakeError: Error, Sendable, Equatable {
        /// The request does not ask for a WebSocket (426: RFC 9110 §15.5.22).
        case noUpgrade
        /// The request asks for a version other than 13 (426 with the supported version: RFC 6455 §4.4).
        case wrongVersion
        /// The `Sec-WebSocket-Key` is missing or is not 16 bytes in base64 (400).
        case badKey
        /// The request has a body (400).
        case hasBody
    }

    /// The prefix of a subprotocol that contains a key.
    package static let keyPrefix = Array("vibe.".utf8)

    /// Returns the head of the response that opens a WebSocket. The HTTP server adds `Connection`.
    ///
    /// The response declines all extensions by omitting them (RFC 6455 §9.1). The response also declines all
    /// subprotocols except the subprotocol that contains a key.
    package static func answer(_ head: RequestHead, _ framing: RequestFraming) throws(HandshakeError) -> ResponseHead {
        guard head.method == .get, head.version == .http11, head.fields.contains(.webSocket, in: .upgrade),
            head.fields.contains(.upgrade, in: .connection)
        else { throw .noUpgrade }
        guard only("sec-websocket-version", head.fields).map({ $0.elementsEqual("13".utf8) }) == true else {
            throw .wrongVersion
        }
        guard let key = only("sec-websocket-key", head.fields), isNonce(key) else { throw .badKey }
        guard framing == .none else { throw .hasBody }
        var answer = ResponseHead(status: 101)
        answer.fields.append("Upgrade", "websocket")
        answer.fields.append("Sec-WebSocket-Accept", accept(key))
        if let chosen = offeredKeyProtocol(head.fields) {
            answer.fields.append(name: Array("Sec-WebSocket-Protocol".utf8), value: chosen)
        }
        return answer
    }

    /// Returns the first offered subprotocol that contains a key; nil if there is none.
    package static func offeredKeyProtocol(_ fields: FieldList) -> ArraySlice<UInt8>? {
        for index in 0..<fields.count where fields.knownName(at: index) == .webSocketProtocol {
            for element in ListElements(fields.value(at: index)) where element.starts(with: keyPrefix) {
                return element
            }
        }
        return nil
    }

    /// Returns the value that confirms a client's key (RFC 6455 §4.2.2, item 5.4).
    static func accept(_ key: ArraySlice<UInt8>) -> String {
        Base64Encoding.encode(SHA1.digest(Array(key) + Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
    }

    /// Returns whether the text is 16 bytes in base64. The last of the 22 characters must encode only the last two bits
    /// of the bytes.
    private static func isNonce(_ key: ArraySlice<UInt8>) -> Bool {
        guard key.count == 24, key.suffix(2).elementsEqual("==".utf8) else { return false }
        let text = key.dropLast(2)
        return text.allSatisfy(Base64Encoding.alphabet.contains)
            && text.last.map { Array("AQgw".utf8).contains($0) } == true
    }

    /// Returns the value of the only field with this name; nil if there is none or more than one. The name must be in
    /// lower case.
    private static func only(_ name: String, _ fields: FieldList) -> ArraySlice<UInt8>? {
        let found = indices(name, fields)
        return found.count == 1 ? found.first.map { fields.value(at: $0) } : nil
    }

    /// Returns the indices of all fields with this name, which must be in lower case. Only the handshake needs these
    /// names, so ``FieldName`` does not contain them.
    private static func indices(_ name: String, _ fields: FieldList) -> [Int] {
        let wanted = Array(name.utf8)
        return (0..<fields.count).filter {
            fields.knownName(at: $0) == .other && fields.name(at: $0).equalsIgnoringCase(wanted)
        }
    }
}
