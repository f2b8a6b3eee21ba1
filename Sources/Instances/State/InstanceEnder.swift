/// Who has an instance end that works; none where it ends by itself.
package enum InstanceEnder: Sendable, Equatable {
    /// Somebody has asked the gateway to stop it.
    case request
    /// The gateway itself, for this reason.
    case gateway(reason: String)
    /// Somebody else, by way of the service manager.
    case outside
}

extension InstanceStateMachine {
    /// Who has it end, while it does.
    package var ender: InstanceEnder? {
        guard case .ending(let ending) = phase else { return nil }
        guard let failure = ending.failure else { return ending.isOurs ? .request : .outside }
        return ending.isOurs ? .gateway(reason: failure) : nil
    }
}
