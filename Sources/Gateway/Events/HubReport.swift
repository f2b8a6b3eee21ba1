/// How it stands with what a project's instance says.
package struct HubReport: Sendable {
    let view: HubSnapshot?
}
