// A daemon whose clients have taken all descriptors that it may have.

import PickerClient
import TestSupport
import Testing
import WireProtocol

extension IntegrationTests {
    @Suite struct DescriptorLimitTests {
        @Test(
            "at the limit of descriptors a new folder is read, and sync says so, by the one in reserve"
        )
        func reserve() throws {
            let place = try TemporaryFolder()
            try place.makeFolder("root")
            let folder = RealFolder(place.path("root"))
            folder.write("a.md")
            let daemon = try DaemonUnderTest(
                [place.path("root")], socket: place.path("pickerd.sock"),
                under: ["/bin/sh", "-c", "ulimit -n 40; exec \"$0\" \"$@\""])
            let client = try daemon.connect()
            try client.sync()
            // More than it can have; those that are left wait in the kernel.
            var others: [TestConnection] = []
            for _ in 0..<40 { others.append(try daemon.connect()) }
            #expect(
                waitUntil {
                    daemon.process.standardError.contains("no client can be accepted for now")
                }, "\(daemon.process.standardError)")
            for number in 0..<3 {
                try place.makeFolder("root/new \(number)")
                folder.write("new \(number)/b.md")
                try client.sync()
                let result = try ItemsResult(decoding: client.call("items.get"))
                #expect(result.total == number + 2 + 1, "with the item for a new one")
            }
            let info = try DaemonStatus(decoding: client.call("daemon.info"))
            #expect(info.roots.allSatisfy { $0.degraded.isEmpty })
            withExtendedLifetime(others) {}
        }
    }
}
