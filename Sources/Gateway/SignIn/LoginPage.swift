// SPDX-License-Identifier: Apache-2.0

import Encodings
import HTTPServer
import HTTPTypes

/// The page on which a browser's user signs in with a key. The page needs no script.
enum LoginPage {
    /// The path of the page.
    static let path = "/-/login"

    /// Returns the page with the form.
    ///
    /// - Parameters:
    ///   - next: The target to which the browser goes after the sign-in; nil for the page itself.
    ///   - error: The reason why the previous try failed.
    ///   - warnsOfPlainHTTP: Whether other computers in the network could read the key.
    static func form(next: String?, error: String? = nil, warnsOfPlainHTTP: Bool) -> String {
        let message = error.map { "<p class=\"error\" role=\"alert\">\(HTMLEscaping.text($0))</p>" } ?? ""
        let warning =
            warnsOfPlainHTTP
            ? "<p class=\"error\">This connection is not encrypted. Others in the network can read the key.</p>" : ""
        let target = next.map { "<input type=\"hidden\" name=\"next\" value=\"\(HTMLEscaping.text($0))\">" } ?? ""
        return Page.html(
            title: "Sign in",
            """
            <h1>Sign in</h1>
            <p>Enter a key of this VibeRemote gateway.</p>
            \(warning)\(message)
            <form method="post" action="login">
            <input type="text" name="username" value="VibeRemote gateway" autocomplete="username" readonly hidden>
            <label for="key">Key</label>
            <input id="key" name="key" type="password" autocomplete="current-password" autocapitalize="off" \
            spellcheck="false" required autofocus>
            \(target)
            <button type="submit">Sign in</button>
            </form>
            <p class="note">You remain signed in for 30 days, or until the key ends.</p>
            """)
    }

    /// Returns the page for a user who is signed in.
    ///
    /// - Parameters:
    ///   - name: The name of the session.
    ///   - next: The target that the user wanted to open; nil for none.
    static func signedIn(as name: String, next: String?) -> String {
        let link = next.map { "<p><a class=\"button\" href=\"\(HTMLEscaping.text($0))\">Continue</a></p>" } ?? ""
        return Page.html(
            title: "Signed in",
            """
            <h1>You are signed in</h1>
            <p>The list of keys contains this session as <strong>\(HTMLEscaping.text(name))</strong>.</p>
            \(link)
            <form method="post" action="logout"><button type="submit">Sign out</button></form>
            <p class="note"><a href="../docs">Description of the gateway's API</a></p>
            """)
    }

    /// Returns a target if a browser may go there after a sign-in; nil for any other text. The browser must not leave the
    /// gateway.
    ///
    /// Browsers treat a backslash as a slash, and remove tabs and line breaks (URL Standard, "basic URL parser").
    static func checked(next: String?) -> String? {
        guard let next, next.utf8.first == UInt8(ascii: "/"), next.utf8.count <= 4096,
            next.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
        else { return nil }
        let isOtherHost = next.utf8.dropFirst().first == UInt8(ascii: "/")
        return isOtherHost || next.hasPrefix(path) ? nil : next
    }
}
