// modules: HTTPTypes
// length: 256

import HTTPTypes

/// An upstream's head is taken only when it can be read in one way, says the same when it is written again, and its framing
/// is what its fields say.
///
/// The input is a byte for the kind of request and whether CR is put before each LF, then the head.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let kind = input.byte()
    var reader = ResponseHeadReader()
    var lines = 0
    while let line = input.piece(endedBy: 0x0A) {
        let bytes = Array(line) + (kind & 1 == 0 ? [0x0D, 0x0A] : [0x0A])
        lines += 1
        guard let progress = try? reader.read(line: bytes.span) else { return 0 }
        switch progress {
        case .needsMore: continue
        case .interim: lines = 0
        case .complete(let head):
            precondition((200...999).contains(head.status) && head.fields.count == lines - 2)
            check(head, kind & 2 == 0 ? .get : .head, isHTTP10: reader.isHTTP10)
            return 0
        case .switching(let head):
            precondition(head.status == 101 && head.fields.count == lines - 2)
            check(head, .get, isHTTP10: reader.isHTTP10)
            return 0
        }
    }
    return 0
}

private func check(_ head: ResponseHead, _ method: Method, isHTTP10: Bool) {
    var fields = FramingFields()
    var again = ResponseHeadReader()
    precondition(progress(&again, Array("HTTP/1.\(isHTTP10 ? 0 : 1) \(head.status)".utf8)) == nil)
    for index in 0..<head.fields.count {
        let (name, value) = (head.fields.name(at: index), head.fields.value(at: index))
        precondition(Characters.isToken(name) && Characters.isFieldValue(value) && Characters.trimmed(value) == value)
        fields.add(name, value)
        precondition(progress(&again, name + [UInt8(ascii: ":")] + value) == nil)
    }
    guard let copy = progress(&again, []) else { preconditionFailure("the same head is not complete") }
    precondition(copy.status == head.status && copy.fields.count == head.fields.count && again.isHTTP10 == isHTTP10)
    for index in 0..<head.fields.count {
        precondition(copy.fields.name(at: index) == head.fields.name(at: index))
        precondition(copy.fields.value(at: index) == head.fields.value(at: index))
    }
    let hasNone = method == .head || head.status < 200 || head.status == 204 || head.status == 304
    guard let framing = try? ResponseFraming.of(head, to: method) else { return precondition(!fields.isClear) }
    precondition(fields.isClear)
    switch framing {
    case .none: precondition(hasNone)
    case .length(let length): precondition(!hasNone && length == fields.length)
    case .chunked: precondition(!hasNone && fields.isChunked)
    case .untilClose: precondition(!hasNone && fields.lengths == 0 && fields.codings == 0)
    }
}

/// The head that a line completes; nil while more is needed.
private func progress(_ reader: inout ResponseHeadReader, _ line: some Collection<UInt8>) -> ResponseHead? {
    let bytes = Array(line) + [0x0D, 0x0A]
    switch try? reader.read(line: bytes.span) {
    case .needsMore: return nil
    case .complete(let head), .switching(let head): return head
    case .interim, nil: preconditionFailure("a head that was taken is refused")
    }
}
