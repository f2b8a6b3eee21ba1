// SPDX-License-Identifier: Apache-2.0

package import JSONText

extension Session {
    /// Parses a session in OpenCode 1's format; nil if it is invalid.
    package init?(openCode1 json: JSON) {
        guard var remaining = json.object, let id = remaining.text("id"), let projectID = remaining.text("projectID"),
            let directory = remaining.text("directory"), let title = remaining.text("title"),
            let version = remaining.text("version"),
            var time = remaining.object("time"), let created = time.number("created"),
            let updated = time.number("updated")
        else { return nil }
        self.init(
            id: id, slug: remaining.text("slug"), projectID: projectID, directory: directory,
            path: remaining.text("path"),
            parentID: remaining.text("parentID"), title: title, agent: remaining.text("agent"),
            model: remaining.extract("model") { Model(openCode1Session: $0) }, version: version,
            cost: remaining.number("cost"),
            tokens: remaining.extract("tokens") { Tokens($0) }, created: created, updated: updated, otherTimes: time,
            revert: remaining.extract("revert") { Revert(openCode1: $0) })
        others = remaining
    }

    /// The session as JSON in OpenCode 1.18.33's format.
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
        guard var remaining = json.object, let messageID = remaining.text("messageID") else { return nil }
        self.init(messageID: messageID, partID: remaining.text("partID"), snapshot: remaining.text("snapshot"))
        others = remaining
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
    /// Parses the model of a session. The model's id is the member `id`. OpenCode 2 uses this format everywhere.
    package init?(openCode1Session json: JSON) { self.init(json, id: "id") }

    /// Parses the model of a message. The model's id is the member `modelID`.
    package init?(openCode1Message json: JSON) { self.init(json, id: "modelID") }

    private init?(_ json: JSON, id: String) {
        guard var remaining = json.object, let modelID = remaining.text(id),
            let providerID = remaining.text("providerID")
        else {
            return nil
        }
        self.init(providerID: providerID, modelID: modelID, variant: remaining.text("variant"))
        others = remaining
    }

    /// The model as JSON in the format of OpenCode 1's sessions and of OpenCode 2.
    package var sessionJSON: JSON {
        var object = JSONObject()
        object.add("id", modelID)
        object.add("providerID", providerID)
        object.add("variant", variant)
        object.add(others)
        return .object(object)
    }

    /// The model as JSON in the format of OpenCode 1's messages.
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
    /// Parses the numbers of tokens; nil if they are invalid. Both versions of OpenCode use the same format.
    package init?(_ json: JSON) {
        guard var remaining = json.object, let input = remaining.number("input"),
            let output = remaining.number("output"),
            let reasoning = remaining.number("reasoning"),
            let cache = remaining.extract("cache", { $0.object.flatMap { $0.members.count == 2 ? $0 : nil } }),
            let read = cache["read"]?.number, let write = cache["write"]?.number
        else { return nil }
        self.init(
            total: remaining.number("total"), input: input, output: output, reasoning: reasoning, cacheRead: read,
            cacheWrite: write)
        others = remaining
    }

    /// The numbers as JSON in OpenCode 1.18.33's format.
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
