internal import Digests
package import HTTPTypes
internal import TextCoding

/// The opening handshake as a server sees it (RFC 6455 §4.2).
package enum OpeningHandshake {
    /// Why a request does not open a WebSocket.
    package enum Refusal: Error, Sendable, Equatable {
        /// It does not ask for one (426: RFC 9110 §15.5.22).
        case noUpgrade
        /// It asks for another version than 13 (426 with the one that is spoken: RFC 6455 §4.4).
        case wrongVersion
        /// Its `Sec-WebSocket-Key` is missing, or no 16 bytes in base64 (400).
        case badKey
        /// It has a body (400).
        case hasBody
    }

    /// What a subprotocol begins with whose rest is a key.
    package static let keyPrefix = Array("vibe.".utf8)

    /// The head of the answer that opens a WebSocket. `Connection` is for the server to add. Extensions are declined by silence
    /// (RFC 6455 §9.1), and so are all subprotocols but the one that carries a key.
    package static func answer(_ head: RequestHead, _ framing: RequestFraming) throws(Refusal) -> ResponseHead {
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

    /// The first subprotocol that carries a key; nil where none does.
    package static func offeredKeyProtocol(_ fields: FieldList) -> ArraySlice<UInt8>? {
        for index in indices("sec-websocket-protocol", fields) {
            for element in ListElements(fields.value(at: index)) where element.starts(with: keyPrefix) {
                return element
            }
        }
        return nil
    }

    /// What answers a client's key (RFC 6455 §4.2.2, item 5.4).
    static func accept(_ key: ArraySlice<UInt8>) -> String {
        Base64Encoding.encode(SHA1.digest(Array(key) + Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
    }

    /// Whether these are 16 bytes in base64: 22 characters, of which the last says no more than the bytes' last two bits.
    private static func isNonce(_ key: ArraySlice<UInt8>) -> Bool {
        guard key.count == 24, key.suffix(2).elementsEqual("==".utf8) else { return false }
        let text = key.dropLast(2)
        return text.allSatisfy(Base64Encoding.alphabet.contains)
            && text.last.map { Array("AQgw".utf8).contains($0) } == true
    }

    /// The value of the one field of this name, which is in lower case; nil where there is none or more than one.
    private static func only(_ name: String, _ fields: FieldList) -> ArraySlice<UInt8>? {
        let found = indices(name, fields)
        return found.count == 1 ? found.first.map { fields.value(at: $0) } : nil
    }

    /// These names are looked for here only: they are not among those that every request's fields are compared with.
    private static func indices(_ name: String, _ fields: FieldList) -> [Int] {
        let wanted = Array(name.utf8)
        return (0..<fields.count).filter {
            fields.knownName(at: $0) == .other && fields.name(at: $0).equalsIgnoringCase(wanted)
        }
    }
}
