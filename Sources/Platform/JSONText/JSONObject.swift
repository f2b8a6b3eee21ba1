// SPDX-License-Identifier: Apache-2.0

/// The members of a JSON object in their original order.
package struct JSONObject: Sendable, Equatable {
    /// A member of an object: a name with its value.
    package struct Member: Sendable, Equatable {
        /// The member's name without escapes.
        package var name: String
        /// The value after the colon.
        package var value: JSON

        /// Creates a member from its name and value.
        package init(_ name: String, _ value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// The members in order. A name may occur more than once.
    package var members: [Member]

    /// Creates an object with the given members, in this order.
    package init(_ members: [Member] = []) { self.members = members }

    /// Whether the object has no members.
    package var isEmpty: Bool { members.isEmpty }

    /// The value of the last member with this name, which takes precedence in all common JSON parsers. Setting nil
    /// removes all members with the name.
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

    /// Removes the member with this name and returns its converted value. If `transform` returns nil, the member
    /// remains.
    ///
    /// The method also removes earlier members with the same name, although only the last member had an effect. If the
    /// earlier members stayed, they would take effect, because the remaining members are written after the extracted
    /// members.
    package mutating func extract<Value>(_ name: String, _ transform: (JSON) -> Value?) -> Value? {
        guard let index = members.lastIndex(where: { $0.name == name }), let value = transform(members[index].value)
        else {
            return nil
        }
        members.removeAll { $0.name == name }
        return value
    }

    /// Removes and returns a string member; see ``extract(_:_:)``. A string with an unpaired surrogate remains.
    package mutating func text(_ name: String) -> String? {
        extract(name) { if case .string(let text) = $0 { text } else { nil } }
    }

    /// Removes and returns a number member; see ``extract(_:_:)``.
    package mutating func number(_ name: String) -> Number? { extract(name, \.number) }
    /// Removes and returns a Boolean member; see ``extract(_:_:)``.
    package mutating func bool(_ name: String) -> Bool? { extract(name, \.bool) }
    /// Removes and returns an object member; see ``extract(_:_:)``.
    package mutating func object(_ name: String) -> JSONObject? { extract(name, \.object) }
    /// Removes and returns an array member; see ``extract(_:_:)``.
    package mutating func array(_ name: String) -> [JSON]? { extract(name, \.array) }
    /// Removes and returns a member of any type; see ``extract(_:_:)``.
    package mutating func value(_ name: String) -> JSON? { extract(name) { $0 } }

    /// Removes and returns an array member that contains only strings; see ``extract(_:_:)``.
    package mutating func texts(_ name: String) -> [String]? {
        extract(name) { value in
            guard let array = value.array else { return nil }
            let texts = array.compactMap { if case .string(let text) = $0 { text } else { nil } }
            return texts.count == array.count ? texts : nil
        }
    }

    /// Appends a member, unless the value is nil.
    package mutating func add(_ name: String, _ value: JSON?) {
        if let value { members.append(Member(name, value)) }
    }

    /// Appends a string member, unless the text is nil.
    package mutating func add(_ name: String, _ text: String?) { add(name, text.map(JSON.string)) }
    /// Appends a number member, unless the number is nil.
    package mutating func add(_ name: String, _ number: Number?) { add(name, number.map(JSON.number)) }
    /// Appends a Boolean member, unless the value is nil.
    package mutating func add(_ name: String, _ bool: Bool?) { add(name, bool.map(JSON.bool)) }
    /// Appends a member with an array of strings, unless the array is nil.
    package mutating func add(_ name: String, _ texts: [String]?) {
        add(name, texts.map { .array($0.map(JSON.string)) })
    }

    /// Appends the members that a parser did not recognise, unchanged.
    package mutating func add(_ others: JSONObject) { members += others.members }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object from a literal. Members whose value is nil are omitted.
    package init(dictionaryLiteral elements: (String, JSON?)...) { self.init(literal: elements) }

    init(literal elements: [(String, JSON?)]) {
        self.init(elements.compactMap { name, value in value.map { Member(name, $0) } })
    }
}
