// SPDX-License-Identifier: Apache-2.0

/// Removes the query parameter `auth_token` from requests. OpenCode 2 and 1.18 accept `base64(user:password)` in this
/// parameter on any path, and prefer the parameter to the Authorization field. A client's parameter would therefore
/// replace the credentials that the gateway adds. In addition, the parameter may contain a client's secret.
package enum AuthToken {
    private static let name = Array("auth_token".utf8)

    /// Returns a request's target without the parameter, whose name may have any percent-encoding. If the target does
    /// not contain the parameter, returns the target unchanged.
    ///
    /// A query begins at the first `?`. OpenCode's router also ends a path at an earlier `;`, and treats the text after
    /// the `;` as the query. The method therefore removes the parameter from both texts.
    package static func removed(from target: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let start = target.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: ";") }) else {
            return target
        }
        let queryStart = target[start...].firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        let parameters = target[start..<queryStart]
        let query = target[queryStart...]
        guard containsToken(parameters) || containsToken(query) else { return target }
        return target[..<start] + without(parameters) + without(query)
    }

    /// Returns the parameters in a text that begins with a delimiter.
    private static func parameters(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        text.dropFirst().split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    }

    private static func isToken(_ parameter: ArraySlice<UInt8>) -> Bool {
        parameter.prefix { $0 != UInt8(ascii: "=") }.spells(name, plusIsSpace: true)
    }

    private static func containsToken(_ text: ArraySlice<UInt8>) -> Bool {
        // Search the query without copying it, because the gateway checks every request.
        var start = text.startIndex + 1
        while start < text.endIndex {
            let end = text[start...].firstIndex(of: UInt8(ascii: "&")) ?? text.endIndex
            if isToken(text[start..<end]) { return true }
            start = end + 1
        }
        return false
    }

    private static func without(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard containsToken(text), let delimiter = text.first else { return text }
        let kept = parameters(text).filter { !isToken($0) }
        guard !kept.isEmpty else { return [] }
        return [delimiter] + kept.joined(separator: [UInt8(ascii: "&")])
    }
}
