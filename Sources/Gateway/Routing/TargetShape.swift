/// Where a target's parts lie, found in one pass: this is looked at for every proxied request.
struct TargetShape {
    /// The path, without its query.
    let path: ArraySlice<UInt8>
    /// What follows the first `?`; nil where there is none.
    let query: ArraySlice<UInt8>?
    /// What follows the path's first `;`, all of it: a query to OpenCode 2. Nil where there is none.
    let parameters: ArraySlice<UInt8>?
    /// Whether the path holds none of `%`, `;`, `\`, `//` and `/.`, and so has one reading only.
    let isPlain: Bool

    init(_ target: ArraySlice<UInt8>) {
        let bytes = target.span
        var isPlain = true
        var semicolon: Int?
        var previous: UInt8 = 0
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            // Nearly all bytes are small letters, none of which means anything here.
            if byte < 0x60 {
                if byte == UInt8(ascii: "?") { break }
                if byte == UInt8(ascii: ";") {
                    if semicolon == nil { semicolon = index }
                    isPlain = false
                } else if byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\\") {
                    isPlain = false
                } else if previous == UInt8(ascii: "/"), byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") {
                    isPlain = false
                }
            }
            previous = byte
            index += 1
        }
        let end = target.startIndex + index
        self.isPlain = isPlain
        path = target[..<end]
        query = end < target.endIndex ? target[(end + 1)...] : nil
        parameters = semicolon.map { target[(target.startIndex + $0 + 1)...] }
    }
}
