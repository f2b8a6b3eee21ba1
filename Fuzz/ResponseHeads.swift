// SPDX-License-Identifier: Apache-2.0

// length: 256

import HTTPTypes

/// Checks that the gateway accepts the head of an instance's response only if the head has a single interpretation,
/// wherever the network splits it. A head that is written again must have the same meaning. The framing must agree with
/// the fields.
///
/// The input consists of two bytes and the head. The first byte selects the kind of request and whether a CR is added
/// before each LF. The second byte is the size of the chunks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let kind = input.byte()
    let size = Int(input.byte() % 64) + 1
    var text: [UInt8] = []
    for byte in input.remainder() {
        if byte == 0x0A, kind & 1 == 0 { text.append(0x0D) }
        text.append(byte)
    }
    let whole = Reading(text, chunk: max(1, text.count))
    let split = Reading(text, chunk: size)
    precondition(whole.isSame(as: split) && whole.consumed <= text.count)
    guard let head = whole.head else { return 0 }
    let lines = text[whole.start..<whole.consumed].count { $0 == 0x0A }
    precondition(head.fields.count == lines - 2)
    precondition(whole.isSwitching ? head.status == 101 : (200...999).contains(head.status))
    check(head, whole.isSwitching || kind & 2 == 0 ? .get : .head, isHTTP10: whole.isHTTP10)
    return 0
}

/// The complete result of parsing a text.
private struct Reading {
    var head: ResponseHead?
    var isSwitching = false
    var isHTTP10 = false
    var fault: ResponseHeadReader.Fault?
    /// The offsets at which the final head begins and ends.
    var start = 0
    var consumed = 0

    init(_ text: [UInt8], chunk: Int) {
        var reader = ResponseHeadReader()
        while head == nil, fault == nil, consumed < text.count {
            let part = text.span.extracting(consumed..<min(consumed + chunk, text.count))
            var index = 0
            do throws(ResponseHeadReader.Fault) {
                switch try reader.parse(part, from: &index) {
                case .needsMore: precondition(index == part.count)
                case .interim: start = consumed + index
                case .complete(let head): self.head = head
                case .switching(let head):
                    self.head = head
                    isSwitching = true
                }
            } catch {
                fault = error
            }
            consumed += index
        }
        isHTTP10 = reader.isHTTP10
    }

    func isSame(as other: Reading) -> Bool {
        // A line that is too long is detected before its end, so the result depends on the chunks.
        guard fault == other.fault, fault == nil else { return fault == other.fault }
        return head?.status == other.head?.status && head?.fields.count == other.head?.fields.count
            && isSwitching == other.isSwitching && isHTTP10 == other.isHTTP10 && start == other.start
            && consumed == other.consumed
    }
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

/// Returns the head that a line completes; nil while more lines are needed.
private func progress(_ reader: inout ResponseHeadReader, _ line: some Collection<UInt8>) -> ResponseHead? {
    let bytes = Array(line) + [0x0D, 0x0A]
    var index = 0
    switch try? reader.parse(bytes.span, from: &index) {
    case .needsMore: return nil
    case .complete(let head), .switching(let head): return head
    case .interim, nil: preconditionFailure("a head that was taken is refused")
    }
}
