internal import FoundationEssentials

/// What an instance's answer about its models means.
package enum ModelsAnswer {
    /// Whether it has any; nil where the answer doesn't tell.
    ///
    /// OpenCode 1 lists providers with their models by name, 2 models: `{"providers":[{"models":{…}}]}`, `{"data":[…]}`.
    package static func hasModels(status: Int, body: [UInt8]) -> Bool? {
        guard status == 200, let answer = try? JSONDecoder().decode(Body.self, from: Data(body)) else { return nil }
        if let providers = answer.providers { return providers.contains { $0.models?.isEmpty == false } }
        return answer.data.map { !$0.isEmpty }
    }

    private struct Model: Decodable {}

    private struct Provider: Decodable { var models: [String: Model]? }

    private struct Body: Decodable {
        var providers: [Provider]?
        var data: [Model]?
    }
}
