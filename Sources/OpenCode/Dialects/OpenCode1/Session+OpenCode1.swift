// SPDX-License-Identifier: Apache-2.0

package import JSONText

extension Session {
    /// Parses a session of OpenCode 1; nil if it is invalid.
    package init?(openCode1 json: JSON) {
        guard var rest = json.object, let id = rest.text("id"), let projectID = rest.text("projectID"),
            let directory = rest.text("directory"), let title = rest.text("title"), let version = rest.text("version"),
            var time = rest.object("time"), let created = time.number("created"), let updated = time.number("updated")
        else { return nil }
        self.init(
            id: id, slug: rest.text("slug"), projectID: projectID, directory: directory, path: rest.text("path"),
            parentID: rest.text("parentID"), title: title, agent: rest.text("agent"),
            model: rest.extract("model") { Model(openCode1Session: $0) }, version: version, cost: rest.number("cost"),
            tokens: rest.extract("tokens") { Tokens($0) }, created: created, updated: updated, otherTimes: time,
            revert: rest.extract("revert") { Revert(openCode1: $0) })
        others = rest
    }

    /// The session as JSON in the form of 1.18.33.
    package var json: JSON {
        var time = JSONObject()
        time.add("created", created)
        time.add("updated", updated)
        time.add(otherTimes)
        var object = JSONObject()
        object.add("id", id)
        object.add("slug", slug)
        object.add("projectID", projectID)
        object.add("directory", directory)
        object.add("path", path)
        object.add("parentID", parentID)
        object.add("title", title)
        object.add("agent", agent)
        object.add("model", model?.sessionJSON)
        object.add("version", version)
        object.add("cost", cost)
        object.add("tokens", tokens?.json)
        object.add(others)
        object.add("time", .object(time))
        object.add("revert", revert?.json)
        return .object(object)
    }
}

extension Session.Revert {
    init?(openCode1 json: JSON) {
        guard var rest = json.object, let messageID = rest.text("messageID") else { return nil }
        self.init(messageID: messageID, partID: rest.text("partID"), snapshot: rest.text("snapshot"))
        others = rest
    }

    var json: JSON {
        var object = JSONObject()
        object.add("messageID", messageID)
        object.add("partID", partID)
        object.add("snapshot", snapshot)
        object.add(others)
        return .object(object)
    }
}

extension Model {
    /// Parses the model of a session, whose id member is `id`. OpenCode 2 uses this form everywhere.
    package init?(openCode1Session json: JSON) { self.init(json, id: "id") }

    /// Parses the model of a message, whose id member is `modelID`.
    package init?(openCode1Message json: JSON) { self.init(json, id: "modelID") }

    private init?(_ json: JSON, id: String) {
        guard var rest = json.object, let modelID = rest.text(id), let providerID = rest.text("providerID") else {
            return nil
        }
        self.init(providerID: providerID, modelID: modelID, variant: rest.text("variant"))
        others = rest
    }

    /// The model as JSON in the form of sessions and of OpenCode 2.
    package var sessionJSON: JSON {
        var object = JSONObject()
        object.add("id", modelID)
        object.add("providerID", providerID)
        object.add("variant", variant)
        object.add(others)
        return .object(object)
    }

    /// The model as JSON in the form of messages.
    package var messageJSON: JSON {
        var object = JSONObject()
        object.add("providerID", providerID)
        object.add("modelID", modelID)
        object.add("variant", variant)
        object.add(others)
        return .object(object)
    }
}

extension Tokens {
    /// Parses token numbers, which have the same form in both versions of OpenCode; nil if they are invalid.
    package init?(_ json: JSON) {
        guard var rest = json.object, let input = rest.number("input"), let output = rest.number("output"),
            let reasoning = rest.number("reasoning"),
            let cache = rest.extract("cache", { $0.object.flatMap { $0.members.count == 2 ? $0 : nil } }),
            let read = cache["read"]?.number, let write = cache["write"]?.number
        else { return nil }
        self.init(
            total: rest.number("total"), input: input, output: output, reasoning: reasoning, cacheRead: read,
            cacheWrite: write)
        others = rest
    }

    /// The numbers as JSON in the form of 1.18.33.
    package var json: JSON {
        var object = JSONObject()
        object.add("total", total)
        object.add("input", input)
        object.add("output", output)
        object.add("reasoning", reasoning)
        object.add("cache", ["read": .number(cacheRead), "write": .number(cacheWrite)])
        object.add(others)
        return .object(object)
    }
}
