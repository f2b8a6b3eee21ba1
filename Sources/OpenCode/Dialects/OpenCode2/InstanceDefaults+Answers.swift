// SPDX-License-Identifier: Apache-2.0

package import JSONText

extension InstanceDefaults {
    /// Creates the defaults from the replies of an OpenCode 2 instance.
    ///
    /// - Parameters:
    ///   - version: The version of the instance.
    ///   - configuration: The configuration files (`/api/config`). The last file that sets a value takes precedence.
    ///   - model: The default model (`/api/model/default`).
    package init(version: String, configuration: JSON?, model: JSON?) {
        let files = (configuration?.array ?? []).compactMap { $0["info"] }
        let agent = files.last { $0["default_agent"]?.text != nil }?["default_agent"]?.text
        let named = files.last { $0["model"] != nil }?["model"].flatMap(Self.model)
        self.init(
            version: version, agent: agent ?? "build", model: named ?? model.flatMap { Model(openCode1Session: $0) })
    }

    /// Parses a model in a configuration file. The model is either `provider/model` or an object.
    private static func model(_ json: JSON) -> Model? {
        if let text = json.text, let slash = text.firstIndex(of: "/") {
            return Model(providerID: String(text[..<slash]), modelID: String(text[text.index(after: slash)...]))
        }
        guard let provider = json["providerID"]?.text, let model = json["model"]?.text ?? json["id"]?.text else {
            return nil
        }
        return Model(providerID: provider, modelID: model, variant: json["variant"]?.text)
    }
}
