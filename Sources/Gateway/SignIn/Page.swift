// SPDX-License-Identifier: Apache-2.0

import Encodings
import HTTPServer
import HTTPTypes
import Sodium

/// The frame of the pages for signing in and for pairing.
enum Page {
    /// The style, which is designed for narrow screens first. The style's colours follow the user's preference for light or
    /// dark.
    private static let style = """
        :root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
        body{max-width:26rem;margin:0 auto;padding:2rem 1.25rem}
        h1{font-size:1.5rem;margin:0 0 .5rem}
        label{display:block;margin:1rem 0 .25rem}
        input{font:inherit;padding:.7rem;width:100%;box-sizing:border-box;border:1px solid #8888;border-radius:.5rem}
        button,.button{font:inherit;font-weight:600;display:block;width:100%;box-sizing:border-box;text-align:center;\
        margin:1rem 0;padding:.8rem;border:0;border-radius:.5rem;background:#06c;color:#fff;text-decoration:none}
        button:disabled{opacity:.5}
        code{font-family:ui-monospace,monospace;overflow-wrap:anywhere}
        .error{border-left:.25rem solid #c33;padding:.25rem .75rem;background:#c332}
        .note{font-size:.85rem;opacity:.8}
        [hidden]{display:none}
        """

    /// Returns a page with this content.
    ///
    /// - Parameter script: The page's only script; nil for none.
    static func html(title: String, _ content: String, script: String? = nil) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(HTMLEscaping.text(title)) · VibeRemote gateway</title>
        <link rel="icon" href="data:,">
        <style>\(style)</style>
        </head>
        <body>
        <main>
        \(content)
        </main>\(script.map { "\n<script>\($0)</script>" } ?? "")
        </body>
        </html>

        """
    }

    /// Returns the response with a page.
    ///
    /// - Parameter script: The script in the page; nil if the page contains none.
    static func answer(_ status: Int, _ html: String, script: String? = nil) -> GatewayAnswer {
        var head = ResponseHead(status: status)
        head.fields.append("Content-Type", "text/html; charset=utf-8")
        head.fields.append("Content-Security-Policy", policy(script))
        head.fields.append("Cache-Control", "no-store")
        // With `no-referrer`, a browser would send the forms of the page with `Origin: null` (Fetch Standard, "append a
        // request Origin header"), and the gateway could not recognise its own page over plain HTTP.
        head.fields.append("Referrer-Policy", "same-origin")
        head.fields.append("X-Content-Type-Options", "nosniff")
        return GatewayAnswer(head: head, body: Array(html.utf8))
    }

    /// The policy allows the page's own style and script, and requests to the page's own origin (Content Security Policy
    /// Level 3). No page may show the page in a frame and guide the user's clicks.
    private static func policy(_ script: String?) -> String {
        let scripts =
            script.map { "script-src 'sha256-\(ContentHash.base64(Array($0.utf8)))'; connect-src 'self'; " } ?? ""
        return
            "default-src 'none'; style-src 'sha256-\(ContentHash.base64(Array(style.utf8)))'; \(scripts)img-src data:; "
            + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    }
}
