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
    /// The lists and entries below `/api` whose content is the member `data`: providers, models, agents, integrations,
    /// references and plug-ins.
    case data
}

/// Removes provider secrets from the JSON responses of an instance, for keys below the scope ``Scope/run``.
///
/// The clients request these responses at their start, so they are not refused. A member that the recorded documents do
/// not describe is removed. A member that a document requires and that may contain a secret becomes empty.
package enum SecretRemoval {
    /// The reason why a response cannot be examined. The client gets 403 instead of the response.
    package enum Failure: Error, Equatable {
        /// The response is not one JSON value in UTF-8, or is nested too deeply.
        case isNotJSON
        /// An object contains a name twice. Parsers disagree about the value.
        case repeatsName
    }

    /// Returns the body of a response without its secrets. Members keep their order, and numbers keep their digits.
    ///
    /// - Parameters:
    ///   - document: The kind of the response.
    ///   - body: The complete body, without compression.
    ///   - status: The status of the response. Only the name of an error remains, because the message of a broken
    ///     configuration contains the configuration's text.
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
