// SPDX-License-Identifier: Apache-2.0

/// A D-Bus method call: the object, the method and its arguments.
struct BusCall {
    /// An argument of one of the types that the manager's methods take.
    enum Argument {
        case string(String)
        case strings([String])
        case int32(Int32)
    }

    let path: String
    let interface: String
    let member: String
    var arguments: [Argument] = []

    /// Returns a call to a method of the manager object itself.
    static func manager(_ member: String, _ arguments: Argument...) -> BusCall {
        BusCall(
            path: "/org/freedesktop/systemd1", interface: "org.freedesktop.systemd1.Manager", member: member,
            arguments: arguments)
    }
}
