import HTTPTypes

/// A request target taken apart without decoding anything (RFC 9112 §3.2).
struct RequestTarget {
    private let bytes: [UInt8]
    private let start: Int
    private let pathEnd: Int

    /// Takes the origin form, the absolute form (whose authority is dropped: every host name is served alike) and the
    /// asterisk form; nil for anything else.
    init?(_ target: [UInt8]) {
        // A fragment is never sent; where one is, it must not reach a route or upstream. In an authority it would end
        // that for one reader and belong to it for another.
        guard !target.contains(UInt8(ascii: "#")) else { return nil }
        var start = 0
        if let first = target.first, first != UInt8(ascii: "/"), target.elementsEqual([UInt8(ascii: "*")]) == false {
            guard let origin = Self.originForm(ofAbsolute: target[...]) else { return nil }
            start = origin.startIndex
        }
        bytes = target
        self.start = start
        pathEnd = target[start...].firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
    }

    /// The path, beginning with `/`; for `OPTIONS *` it is `*`.
    var path: ArraySlice<UInt8> { bytes[start..<pathEnd] }

    /// What follows the first `?`, that character included; empty where there is none.
    var query: ArraySlice<UInt8> { bytes[pathEnd...] }

    /// The origin form of a tail of the path with the query: `/` where the tail is empty.
    func from(_ tail: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        tail.isEmpty ? [UInt8(ascii: "/")] + query : bytes[tail.startIndex...]
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
