import HTTPTypes

/// A request target taken apart without decoding anything (RFC 9112 §3.2).
struct RequestTarget {
    /// The path, beginning with `/`; for `OPTIONS *` it is `*`.
    let path: ArraySlice<UInt8>
    /// What follows the first `?`, that character included; empty where there is none.
    let query: ArraySlice<UInt8>
    private let whole: ArraySlice<UInt8>

    /// Takes the origin form, the absolute form (whose authority is dropped: every host name is served alike) and the
    /// asterisk form; nil for anything else.
    init?(_ target: [UInt8]) {
        // A fragment is never sent; where one is, it must not reach a route or upstream. In an authority it would end
        // that for one reader and belong to it for another.
        guard !target.contains(UInt8(ascii: "#")) else { return nil }
        var rest = target[...]
        if let first = rest.first, first != UInt8(ascii: "/"), rest.elementsEqual([UInt8(ascii: "*")]) == false {
            guard let origin = Self.originForm(ofAbsolute: rest) else { return nil }
            rest = origin
        }
        let queryStart = rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
        path = rest[..<queryStart]
        query = rest[queryStart...]
        whole = rest
    }

    /// The origin form of a tail of the path with the query: `/` where the tail is empty.
    func from(_ tail: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        tail.isEmpty ? [UInt8(ascii: "/")] + query : whole[tail.startIndex...]
    }

    private static let schemes = [Array("http://".utf8), Array("https://".utf8)]

    private static func originForm(ofAbsolute target: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        for scheme in schemes where target.startsIgnoringCase(scheme) {
            let afterScheme = target.dropFirst(scheme.count)
            let authorityEnd = afterScheme.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
            guard let authorityEnd, authorityEnd > afterScheme.startIndex else { return nil }
            return afterScheme[authorityEnd] == UInt8(ascii: "/") ? afterScheme[authorityEnd...] : nil
        }
        return nil
    }
}
