import Access
import HTTPServer
import HTTPTypes

/// Who is let in.
extension GatewayLoop {
    /// The refusal of a request whose credentials don't open the gateway.
    func admit(_ head: RequestHead) -> Answer? {
        let verdict = snapshot.policy.keys.authenticate(authorization(of: head))
        return verdict.detail.map(unauthorized)
    }

    /// The one Authorization field; several are ambiguous and count as none.
    private func authorization(of head: RequestHead) -> ArraySlice<UInt8>? {
        guard let first = head.fields.firstIndex(of: .authorization),
            head.fields.firstIndex(of: .authorization, from: first + 1) == nil
        else { return nil }
        return head.fields.value(at: first)
    }

    private func unauthorized(_ detail: String) -> Answer {
        var answer = Answer.detail(401, detail)
        // RFC 9110 §15.5.2 wants a challenge; a browser that asked for Basic would keep the key.
        answer.head.fields.append("WWW-Authenticate", "Bearer")
        return answer
    }
}
