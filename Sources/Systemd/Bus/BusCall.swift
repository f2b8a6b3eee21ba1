/// A method call: to whom, what, with which arguments.
struct BusCall {
    /// An argument. Only the types that the manager's methods take.
    enum Argument {
        case string(String)
        case strings([String])
        case int32(Int32)
    }

    let path: String
    let interface: String
    let member: String
    var arguments: [Argument] = []

    /// A method of the manager itself.
    static func manager(_ member: String, _ arguments: Argument...) -> BusCall {
        BusCall(
            path: "/org/freedesktop/systemd1", interface: "org.freedesktop.systemd1.Manager", member: member,
            arguments: arguments)
    }
}
