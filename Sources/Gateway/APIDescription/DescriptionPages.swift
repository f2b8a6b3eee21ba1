// SPDX-License-Identifier: Apache-2.0

package import GatewayCore
import JSONText

extension StaticPage {
    /// Returns the page `/openapi.json`, which describes these endpoints for programs.
    package static func description(_ table: EndpointTable) -> StaticPage {
        StaticPage(OpenAPIDocument.json(table).bytes, ["Content-Type": "application/json"])
    }

    /// Returns the page `/docs`, which describes these endpoints for people.
    package static func documentation(_ table: EndpointTable) -> StaticPage {
        StaticPage(
            DocumentationPage.html(table),
            [
                "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": DocumentationPage.policy,
                "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
            ])
    }
}
