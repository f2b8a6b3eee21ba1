// SPDX-License-Identifier: Apache-2.0

package import JSONText

extension Failure {
    /// Translates an error from OpenCode 2 to OpenCode 1.
    package init(openCode2 json: JSON) {
        let type = json["type"]?.text ?? ""
        let message = json["message"]?.text ?? type
        var data = JSONObject([JSONObject.Member("message", .string(message))])
        switch type {
        case "aborted": self = .aborted
        case "provider.no-route": self = .unknown(message)
        case "provider.context-overflow", "provider.context-length": self.init("ContextOverflowError", data)
        case "provider.content-filter": self.init("ContentFilterError", data)
        case _ where type.hasPrefix("provider."):
            let status = json["status"]?.number
            data.add("statusCode", status)
            data.add("isRetryable", Self.isRetryable(type, status?.integer))
            self.init("APIError", data)
        default: self = .unknown(message)
        }
    }

    /// Returns whether OpenCode 1 retries the error. OpenCode 1 retries after a time-out, after too many requests, and
    /// after a failure of the provider.
    private static func isRetryable(_ type: String, _ status: Int?) -> Bool {
        guard let status else { return type == "provider.rate-limit" || type == "provider.overloaded" }
        return status == 408 || status == 429 || status >= 500
    }
}
