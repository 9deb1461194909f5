/** The sandbox network as a library (docs/sandbox.md has the control interface). */
export { type Sandbox, type SandboxOptions, startSandbox } from './sandbox.ts';
export type { ViewMessage as PhoneMessage } from './phones/context/view.ts';
export type { NetworkAddress } from './control/network.ts';
export type { Recorded, Recorder } from './base/recorder.ts';
