import MediaTypes
import Testing

@Suite struct MD5Tests {
    @Test(
        "the digests of the RFC",
        arguments: [
            ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"),
            ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
            (
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
                "d174ab98d277d9f5a5611c2c9f419d9f"
            ),
            (
                "1234567890123456789012345678901234567890"
                    + "1234567890123456789012345678901234567890",
                "57edf4a22be3c955ac49da2e2107b67a"
            ),
        ])
    func vectors(text: String, expected: String) {
        #expect(digest(Array(text.utf8)) == expected)
    }

    @Test(
        "digests around the ends of blocks, as md5sum has them",
        arguments: [
            (55, "52c0e574e1198de5fe3f8f11440dcb1b"),
            (56, "46c9907fc908ee68b1e7b8e71286a518"),
            (57, "1c805dd236c35cab25fcb1bc73802c51"),
            (63, "a62f6d59e837867693f042f5b8f5a236"),
            (64, "7160b8fb5e9e4023d549c3971fbaeead"),
            (65, "70bd662e7aefbda85a0f7244167b7897"),
            (119, "e84905d4214f4d1ca56c2cdcc152b143"),
            (120, "e3eb5a6c8669ea01a8c185b8abc8a5dc"),
            (121, "82f02aff7c685d5ef5f6abdfc38fd04f"),
            (1000, "10046f077f2082ac19676b8079f1cb1a"),
        ])
    func blocks(count: Int, expected: String) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + 3) }
        #expect(digest(bytes) == expected)
    }
}
