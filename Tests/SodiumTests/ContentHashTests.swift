import Sodium
import Testing

@Suite("Hashes of texts")
struct ContentHashTests {
    @Test(
        "SHA-256 in base64 (FIPS 180-4, RFC 4648 §4)",
        arguments: [
            ("", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
            ("abc", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
        ])
    func vectors(text: String, hash: String) {
        #expect(ContentHash.base64(Array(text.utf8)) == hash)
    }
}
