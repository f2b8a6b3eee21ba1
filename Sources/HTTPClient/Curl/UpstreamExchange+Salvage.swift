/// What libcurl leaves unread when it gives up on an upload.
extension UpstreamExchange {
    /// Whether libcurl may close the connection with an answer in it that it has not looked at.
    var mayHaveUnreadAnswer: Bool { state == .running && status == 0 && fault == nil && isStreamed }

    /// Takes bytes that libcurl has left unread on a connection that it is closing.
    func salvage(_ bytes: Span<UInt8>) {
        isSalvaged = true
        guard let start = status == 0 ? receivedHead(bytes) : 0, start < bytes.count else { return }
        _ = receivedBody(bytes.extracting(start...))
    }
}
