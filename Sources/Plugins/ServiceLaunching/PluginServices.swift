package import SystemInterface
package import TransientServices

/// What the launcher needs of a service manager. Each `done` is called once, later, and never from within its call.
package protocol PluginServices: AnyObject {
    func identify(
        within time: Duration?, done: @escaping UserServiceManager.Done<ManagerIdentity>)
    func start(
        _ service: TransientService, socket: borrowing OwnedDescriptor,
        output: borrowing OwnedDescriptor, done: @escaping UserServiceManager.Done<Void>)
    func awaitStart(of unit: String, done: @escaping UserServiceManager.Done<ServiceEnd?>)
    func end(of unit: String, done: @escaping UserServiceManager.Done<ServiceEnd>)
    func stop(_ unit: String, done: @escaping UserServiceManager.Done<Void>)
    func kill(_ unit: String, done: @escaping UserServiceManager.Done<Void>)
    func units(
        matching pattern: String, boundTo unit: String,
        done: @escaping UserServiceManager.Done<[String]>)
}

extension UserServiceManager: PluginServices {}
