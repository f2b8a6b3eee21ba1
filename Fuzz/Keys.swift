// modules: Access
import Access

// No `Authorization` value but one with the key opens the gateway.
private let table = KeyTable(keys: [(name: "default", secret: Array("the key of the fuzzer, which is long".utf8))])

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    guard let start, count > 0 else { return 0 }
    let schemes = ["", "Bearer ", "Basic ", "bAsIc\t"]
    let text = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    let value = Array(schemes[Int(start[0]) % schemes.count].utf8) + text
    if case .principal = table.authenticate(value[...]) { preconditionFailure("let in") }
    return 0
}
