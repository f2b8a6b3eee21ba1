/// The members of a JSON object in their order.
package struct JSONObject: Sendable, Equatable {
    /// A name with its value.
    package struct Member: Sendable, Equatable {
        /// Without escapes.
        package var name: String
        /// What stands behind the colon.
        package var value: JSON

        /// A name with its value.
        package init(_ name: String, _ value: JSON) { (self.name, self.value) = (name, value) }
    }

    /// In their order; a name may stand twice.
    package var members: [Member]

    /// An object of these members.
    package init(_ members: [Member] = []) { self.members = members }

    /// Whether it has no member.
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

    /// Takes a text (``take(_:_:)``); half a surrogate pair makes it none.
    package mutating func text(_ name: String) -> String? {
        take(name) { if case .string(let text) = $0 { text } else { nil } }
    }

    /// Takes a number (``take(_:_:)``).
    package mutating func number(_ name: String) -> Number? { take(name, \.number) }
    /// Takes what is true or false (``take(_:_:)``).
    package mutating func bool(_ name: String) -> Bool? { take(name, \.bool) }
    /// Takes an object (``take(_:_:)``).
    package mutating func object(_ name: String) -> JSONObject? { take(name, \.object) }
    /// Takes an array (``take(_:_:)``).
    package mutating func array(_ name: String) -> [JSON]? { take(name, \.array) }
    /// Takes any value (``take(_:_:)``).
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

    /// Adds a text; nothing where it is nil.
    package mutating func add(_ name: String, _ text: String?) { add(name, text.map(JSON.string)) }
    /// Adds a number; nothing where it is nil.
    package mutating func add(_ name: String, _ number: Number?) { add(name, number.map(JSON.number)) }
    /// Adds true or false; nothing where it is nil.
    package mutating func add(_ name: String, _ bool: Bool?) { add(name, bool.map(JSON.bool)) }
    /// Adds a text; nothing where it is nil.
    package mutating func add(_ name: String, _ texts: [String]?) {
        add(name, texts.map { .array($0.map(JSON.string)) })
    }

    /// Adds what a reader did not know, as it came.
    package mutating func add(_ others: JSONObject) { members += others.members }
}
