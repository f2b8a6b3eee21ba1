// SPDX-License-Identifier: Apache-2.0

/// A kind of response that may contain a provider's secret.
package enum SecretDocument: Sendable, CaseIterable {
    /// OpenCode 1's configuration: `/config` and `/global/config`.
    case configuration
    /// OpenCode 2's configuration documents: `/api/config`.
    case configurationDocuments
    /// OpenCode 1's providers with their models: `/config/providers` and `/provider`.
    case providers
    /// OpenCode 1's agents: `/agent`.
    case agents
    /// The lists and entries below `/api` that are in the member `data` of the response: providers, models, agents,
    /// integrations, references and plug-ins.
    case data
}

/// Removes provider secrets from an instance's JSON responses, for keys below the scope ``Scope/run``.
///
/// Clients request these responses when they start, so the gateway removes the secrets instead of rejecting the
/// requests. The gateway removes a member that the recorded API documents do not describe. If a member that an API
/// document requires may contain a secret, the gateway replaces the member's value by an empty value.
package enum SecretRemoval {
    /// The reason why a response cannot be examined. The client receives status 403 instead of the response.
    package enum Failure: Error, Equatable {
        /// The response is not a single JSON value in UTF-8, or its values are nested too deeply.
        case isNotJSON
        /// An object contains a name twice. Parsers disagree about the value of such a name.
        case repeatsName
    }

    /// Returns the body of a response without secrets. Members keep their order, and numbers keep their digits.
    ///
    /// - Parameters:
    ///   - document: The kind of the response.
    ///   - body: The complete body, without compression.
    ///   - status: The status of the response. Of an error response, only the error's name remains. The error message
    ///     for a broken configuration contains the configuration's text.
    /// - Throws: ``Failure`` if the body cannot be examined.
    package static func body(
        of document: SecretDocument, from body: [UInt8], status: Int
    ) throws(Failure) -> [UInt8] {
        guard !body.isEmpty else { return [] }
        guard String(validating: body, as: UTF8.self) != nil else { throw .isNotJSON }
        var filter = SecretFilter(body, (200..<300).contains(status) ? document.rules : SecretRules.error)
        return try filter.result()
    }
}

extension SecretDocument {
    /// The rules for this kind of response.
    var rules: SecretRules {
        switch self {
        case .configuration: .configuration
        case .configurationDocuments: .configurationDocuments
        case .providers: .providers
        case .agents: .agents
        case .data: .data
        }
    }
}
