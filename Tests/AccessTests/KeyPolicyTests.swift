import Access
import Testing

@Suite struct KeyPolicyTests {
    @Test(arguments: [
        "", "tiny-key", "fifteen-bytes-x", "change-me-in-production", "sixteen bytes\nand more", " padded-with-a-space",
    ])
    func aBadKeyIsRefusedWithAWayOut(key: String) throws {
        let refusal = try #require(KeyPolicy.refusal(of: key))
        #expect(refusal.contains("openssl rand -hex 32"))
        #expect(key.isEmpty || key == KeyPolicy.publicDefault || !refusal.contains(key))
    }

    @Test func aLongKeyIsTaken() {
        #expect(KeyPolicy.refusal(of: "sixteen-bytes-xx") == nil)
        #expect(KeyPolicy.refusal(of: RandomBytes.hex(32)) == nil)
    }
}

@Suite struct RandomBytesTests {
    @Test func theyAreHexadecimalAndDiffer() {
        let first = RandomBytes.hex(32)
        #expect(first.count == 64)
        #expect(first.allSatisfy { "0123456789abcdef".contains($0) })
        #expect(first != RandomBytes.hex(32))
        #expect(RandomBytes.hex(0).isEmpty)
    }
}
