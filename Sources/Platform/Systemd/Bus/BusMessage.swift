// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc

/// A D-Bus message that is read sequentially. A message is borrowed for the duration of a call and must not be stored.
struct BusMessage {
    let pointer: OpaquePointer

    /// The path of the sending object; nil if the message has none.
    var path: UnsafePointer<CChar>? { sd_bus_message_get_path(pointer) }

    /// Returns the error that the peer sent instead of a result.
    func error(_ operation: String) -> BusError? {
        sd_bus_message_get_error(pointer).map { BusError($0.pointee, operation) }
    }

    // MARK: Reading

    /// Reads a string (type `s`).
    func string() throws(BusError) -> String { try text("s") }

    /// Reads an object path (`o`).
    func objectPath() throws(BusError) -> String { try text("o") }

    /// Reads an unsigned 32-bit integer (`u`).
    func uint32() throws(BusError) -> UInt32 { try basic("u", 0) }

    /// Reads a signed 32-bit integer (`i`).
    func int32() throws(BusError) -> Int32 { try basic("i", 0) }

    /// Reads an unsigned 64-bit integer (`t`).
    func uint64() throws(BusError) -> UInt64 { try basic("t", 0) }

    /// Reads a Boolean (type `b`).
    func bool() throws(BusError) -> Bool { try basic("b", Int32(0)) != 0 }

    /// Reads an array of bytes (`ay`).
    func bytes() throws(BusError) -> [UInt8] {
        var start: UnsafeRawPointer?
        var count = 0
        try BusError.check(sd_bus_message_read_array(pointer, Self.code("y"), &start, &count), Self.reading)
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Reads each element of an array whose elements have this signature.
    func array(of signature: String, _ element: () throws(BusError) -> Void) throws(BusError) {
        guard try enter("a", signature) else { return }
        while try BusError.check(sd_bus_message_at_end(pointer, 0), Self.reading) == 0 { try element() }
        try exit()
    }

    /// Reads the content of a container with the given signature. The type is `r` for a struct, `e` for a dictionary
    /// entry, and `v` for a variant.
    func container<Value>(
        _ type: Character, signature: String, _ read: () throws(BusError) -> Value
    ) throws(BusError) -> Value {
        guard try enter(type, signature) else {
            throw BusError.of(-ENXIO, Self.reading)
        }
        let value = try read()
        try exit()
        return value
    }

    /// Reads a variant that contains the given type.
    func variant<Value>(_ signature: String, _ read: () throws(BusError) -> Value) throws(BusError) -> Value {
        try container("v", signature: signature, read)
    }

    /// Skips a value with this signature.
    func skip(_ signature: String) throws(BusError) {
        try BusError.check(sd_bus_message_skip(pointer, signature), Self.reading)
    }

    // MARK: Writing

    /// Appends an argument to the message.
    func append(_ argument: BusCall.Argument) throws(BusError) {
        let result: Int32
        switch argument {
        case .string(let text): result = sd_bus_message_append_basic(pointer, Self.code("s"), text)
        case .int32(let number):
            result = withUnsafePointer(to: number) { sd_bus_message_append_basic(pointer, Self.code("i"), $0) }
        case .strings(let texts):
            var list: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
            defer { for text in list { free(text) } }
            list.append(nil)
            result = sd_bus_message_append_strv(pointer, &list)
        }
        try BusError.check(result, "writing a message")
    }

    // MARK: -

    private static let reading = "reading a message"

    private static func code(_ type: Character) -> CChar { CChar(bitPattern: type.asciiValue ?? 0) }

    private func text(_ type: Character) throws(BusError) -> String {
        let start: UnsafePointer<CChar>? = try basic(type, nil)
        return start.map { String(cString: $0) } ?? ""
    }

    private func basic<Value>(_ type: Character, _ initial: Value) throws(BusError) -> Value {
        var value = initial
        let result = withUnsafeMutablePointer(to: &value) {
            sd_bus_message_read_basic(pointer, Self.code(type), UnsafeMutableRawPointer($0))
        }
        // sd-bus returns 0 if there is no further element, which is an error here.
        guard try BusError.check(result, Self.reading) > 0 else { throw BusError.of(-ENXIO, Self.reading) }
        return value
    }

    private func enter(_ type: Character, _ signature: String) throws(BusError) -> Bool {
        try BusError.check(sd_bus_message_enter_container(pointer, Self.code(type), signature), Self.reading) > 0
    }

    private func exit() throws(BusError) {
        try BusError.check(sd_bus_message_exit_container(pointer), Self.reading)
    }
}
