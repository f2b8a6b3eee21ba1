import HTTPServer
import HTTPTypes

/// What the gateway says itself to a client of OpenCode 1: in the form of OpenCode 1's errors, and in its own.
enum OpenCode1Error {
    /// `{"name":…,"data":{"message":…},"detail":…}` with the sentence and the fields of such an answer.
    static func of(_ answer: Answer) -> Answer {
        // What is between is one string of JSON.
        guard answer.body.starts(with: start), answer.body.last == UInt8(ascii: "}") else { return answer }
        let sentence = answer.body.dropFirst(start.count).dropLast()
        var told = answer
        let name = answer.head.status == 400 ? "BadRequest" : "UnknownError"
        told.body =
            Array(#"{"name":"\#(name)","data":{"message":"#.utf8) + sentence + Array(#"},"detail":"#.utf8) + sentence
            + [UInt8(ascii: "}")]
        return told
    }

    private static let start = Array(#"{"detail":"#.utf8)
}
