// SPDX-License-Identifier: Apache-2.0

import Encodings
import GatewayCore
import HTTPTypes
import Sodium

/// The API's description for people: a self-contained page that is generated from ``EndpointTable``.
///
/// The page reads its key field only when the user tries a request, and it does not store the key. The page may
/// send requests only to its own origin.
enum DocumentationPage {
    /// Returns the HTML of the page that describes these endpoints.
    static func html(_ table: EndpointTable) -> [UInt8] {
        let sections = table.endpoints.map(section).joined(separator: "\n")
        return Array(
            """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>VibeRemote gateway</title>
            <link rel="icon" href="data:,">
            <style>\(PageParts.style)</style>
            </head>
            <body>
            <header>
            <h1>VibeRemote gateway</h1>
            <p>The gateway starts and stops the OpenCode servers of project folders and forwards requests to them. The \
            gateway's own errors have the body <code>{"detail": "…"}</code>. Programs can read \
            <a href="/openapi.json">openapi.json</a>.</p>
            <form id="settings"><label>Key <input id="key" type="password" autocomplete="off" spellcheck="false"></label>
            <label>Project <input id="name" autocomplete="off" autocapitalize="off" spellcheck="false"></label></form>
            <p class="note">This page keeps the key and the project in memory until you close it.</p>
            </header>
            <main>
            \(sections)
            </main>
            <script>\(PageParts.script)</script>
            </body>
            </html>

            """.utf8)
    }

    /// The page's Content Security Policy (Level 3). The policy allows the page's own style and script, and requests to
    /// the page's own origin.
    static var policy: String {
        let style = ContentHash.base64(Array(PageParts.style.utf8))
        let script = ContentHash.base64(Array(PageParts.script.utf8))
        return "default-src 'none'; style-src 'sha256-\(style)'; script-src 'sha256-\(script)'; connect-src 'self'; "
            + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    }

    private static func section(_ endpoint: Endpoint) -> String {
        let template = escaped(endpoint.path.template)
        let methods = endpoint.describedMethods.compactMap(\.name)
        return """
            <section>
            <h2><b>\(escaped(methods.joined(separator: ", ")))</b> <code>\(template)</code></h2>
            <p><strong>\(escaped(sentence(endpoint.description.summary)))</strong> \(escaped(endpoint.description.text)) \
            \(endpoint.requirement.isOpen ? "This endpoint needs no key." : "")</p>
            <table>\(endpoint.outcomes.map(row).joined())</table>
            <button type="button" data-method="\(methods.first ?? "")" \
            data-path="\(template)">Try</button>
            <pre hidden></pre>
            </section>
            """
    }

    /// Returns a summary with a final period, unless it ends with a punctuation mark.
    private static func sentence(_ summary: String) -> String {
        summary.last.map { ".?!".contains($0) } == true ? summary : summary + "."
    }

    private static func row(_ outcome: Endpoint.DescribedAnswer) -> String {
        let status = outcome.status.map { "\($0)" } ?? "other"
        let content: String
        switch outcome.content {
        case .json(let schema): content = " <code>\(schema.name)</code>"
        case .page: content = " a page"
        case .eventStream: content = " an event stream"
        case .eventStreamOrPage(let page): content = " an event stream, or <code>\(page.name)</code>"
        case .anything, .nothing: content = ""
        }
        return "<tr><td>\(status)</td><td>\(escaped(outcome.meaning))\(content)</td></tr>"
    }

    /// Returns the text escaped for HTML. Text between backquotes becomes code.
    private static func escaped(_ text: String) -> String {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false).map { HTMLEscaping.text(String($0)) }
        return parts.enumerated().map { $0.offset % 2 == 1 ? "<code>\($0.element)</code>" : $0.element }.joined()
    }
}
