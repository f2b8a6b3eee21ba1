// modules: OpenCode
import OpenCode

/// The banner scanner finds the same port however its input is split, and never a second one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    // The first byte says where to split the rest; sometimes the phrase stands in front, which chance would hardly find.
    guard let start, count > 0 else { return 0 }
    let choice = Int(start[0])
    var text = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    if choice & 1 == 1 { text = Array("opencode server listening on http://".utf8) + text }

    var whole = BannerScanner()
    let port = whole.scan(text)
    precondition(port == whole.port && port != 0)
    precondition(whole.scan(text) == nil || port == nil)

    let split = text.isEmpty ? 0 : choice % (text.count + 1)
    var halves = BannerScanner()
    let first = halves.scan(text[..<split])
    let second = halves.scan(text[split...])
    precondition((first ?? second) == port && (first == nil || second == nil))
    return 0
}
