// SPDX-License-Identifier: Apache-2.0

/// The model that answers a prompt.
struct Model2: Sendable, Equatable {
    let id: String
    let providerID: String
    var variant: String?

    init(id: String, providerID: String, variant: String? = nil) {
        self.id = id
        self.providerID = providerID
        self.variant = variant
    }

    /// Creates a model from a request's JSON; nil if the request does not name a model.
    init?(_ json: JSON?) {
        guard let id = json?["id"]?.text, let provider = json?["providerID"]?.text else { return nil }
        self.init(id: id, providerID: provider, variant: json?["variant"]?.text)
    }

    /// The default model, which sessions without a model use.
    static var standard: Model2 { Model2(id: "talk", providerID: "mock") }

    /// Whether the simulator's configuration contains the model.
    var isKnown: Bool { ["mock", "simulator"].contains(providerID) }

    /// The model as JSON. The JSON contains a variant only if the model has one.
    var json: JSON {
        let start: JSON = ["id": .string(id), "providerID": .string(providerID)]
        return start.adding(variant.map { [("variant", .string($0))] } ?? [])
    }

    /// The model as JSON, with the variant `default` if the model has no variant.
    var complete: JSON {
        var model = self
        model.variant = variant ?? "default"
        return model.json
    }
}

/// The numbers of tokens that were sent to models and received from models.
struct Usage2: Sendable, Equatable {
    var input = 0
    var output = 0

    /// The usage of one call of the recorded model.
    static var call: Usage2 { Usage2(input: 120, output: 42) }

    static func += (sum: inout Usage2, usage: Usage2) {
        sum.input += usage.input
        sum.output += usage.output
    }

    /// The members `cost` and `tokens`, in this order.
    var members: [(String, JSON)] { [("cost", 0), ("tokens", tokens)] }

    var tokens: JSON {
        [
            "input": .integer(input), "output": .integer(output), "reasoning": 0,
            "cache": ["read": 0, "write": 0],
        ]
    }
}
