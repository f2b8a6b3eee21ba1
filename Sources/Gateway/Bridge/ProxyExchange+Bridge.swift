import HTTPServer
internal import Instances

/// The way from a request for an instance to the bridge, once it is judged what the request names.
extension ProxyExchange {
    /// Has the bridge answer a request of OpenCode 1's routes for an OpenCode 2; false where it goes to the instance as it is.
    func bridges() -> Bool {
        guard let connection, owner.bridge != nil,
            let reading = BridgeWish.read(
                connection.head, target, of: route, isPinned: policy.pinsDirectories, hasHub: owner.events != nil)
        else { return false }
        switch reading {
        case .bridged(let request):
            end()
            BridgeExchange(owner, connection, route, policy, request).begin()
        case .terminal(let target):
            self.target = target[...]
            dropsDirectory = true
            pass()
        case .refused(let status, let sentence):
            owner.answer(connection, OpenCode1Error.of(.detail(status, sentence)))
            end()
        }
        return true
    }
}
