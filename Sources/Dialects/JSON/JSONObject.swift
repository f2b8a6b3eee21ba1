/// The members of a JSON object in their order.
package struct JSONObject: Sendable, Equatable {
    package struct Member: Sendable, Equatable {
        package var name: String
        package var value: JSON

        package init(_ name: String, _ value: JSON) { (self.name, self.value) = (name, value) }
    }

    package var members: [Member]

    package init(_ members: [Member] = []) { self.members = members }

    package var isEmpty: Bool { members.isEmpty }

    /// The last member of that name counts, as for every reader of JSON in use. Setting nil removes it.
    package subscript(name: String) -> JSON? {
        get { members.last { $0.name == name }?.value }
        set {
            guard let newValue else { return members.removeAll { $0.name == name } }
            if let index = members.lastIndex(where: { $0.name == name }) {
                members[index].value = newValue
            } else {
                members.append(Member(name, newValue))
            }
        }
    }

    /// Removes a member and gives it back where `form` takes its value; else it stays. Members of the same name that do not
    /// count go, too: behind what is written first they would count.
    package mutating func take<Value>(_ name: String, _ form: (JSON) -> Value?) -> Value? {
        guard let index = members.lastIndex(where: { $0.name == name }), let value = form(members[index].value) else {
            return nil
        }
        members.removeAll { $0.name == name }
        return value
    }

    package mutating func text(_ name: String) -> String? {
        take(name) { if case .string(let text) = $0 { text } else { nil } }
    }

    package mutating func number(_ name: String) -> Number? { take(name, \.number) }
    package mutating func bool(_ name: String) -> Bool? { take(name, \.bool) }
    package mutating func object(_ name: String) -> JSONObject? { take(name, \.object) }
    package mutating func array(_ name: String) -> [JSON]? { take(name, \.array) }
    package mutating func value(_ name: String) -> JSON? { take(name) { $0 } }

    /// A list of texts.
    package mutating func texts(_ name: String) -> [String]? {
        take(name) { value in
            guard let array = value.array else { return nil }
            let texts = array.compactMap { if case .string(let text) = $0 { text } else { nil } }
            return texts.count == array.count ? texts : nil
        }
    }

    /// Adds a member; nothing where the value is nil.
    package mutating func add(_ name: String, _ value: JSON?) {
        if let value { members.append(Member(name, value)) }
    }

    package mutating func add(_ name: String, _ text: String?) { add(name, text.map(JSON.string)) }
    package mutating func add(_ name: String, _ number: Number?) { add(name, number.map(JSON.number)) }
    package mutating func add(_ name: String, _ bool: Bool?) { add(name, bool.map(JSON.bool)) }
    package mutating func add(_ name: String, _ texts: [String]?) {
        add(name, texts.map { .array($0.map(JSON.string)) })
    }

    /// Adds what a reader did not know, as it came.
    package mutating func add(_ others: JSONObject) { members += others.members }
}
