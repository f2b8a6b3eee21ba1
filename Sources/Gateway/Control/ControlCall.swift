import HTTPServer

/// One client that waits for the control plane's answer. It lives on its loop; only its number travels.
final class ControlCall: ServerExchange {
    let number: Int
    private var connection: ClientConnection?
    private unowned let owner: GatewayLoop

    init(_ owner: GatewayLoop, _ connection: ClientConnection, number: Int) {
        self.owner = owner
        self.connection = connection
        self.number = number
    }

    /// Gives the answer, unless the client has left.
    func answer(_ answer: Answer) {
        if let connection { owner.answer(connection, answer) }
        connection = nil
    }

    func requestBodyArrived() {
        // A body is not looked at; it is read so that the answer can be given.
        connection?.discardBody()
    }

    func responseDrained() {}

    /// What was asked for goes on: a start that one client gave up is still wanted by the next.
    func clientGone() {
        connection = nil
        owner.forget(self)
    }
}
