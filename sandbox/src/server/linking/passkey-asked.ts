/** A link that waits for a passkey: the phone is done for now, the client is to answer. */
import type { Device } from '../../base/types.ts';

export class PasskeyAsked extends Error {
  /** The linked device, once the ceremony is through; rejects when it comes to nothing. */
  readonly linked: Promise<Device>;

  constructor(linked: Promise<Device>) {
    super(
      'the network asks for a passkey before it links this client: the client is to answer with that of the account',
    );
    this.linked = linked;
  }
}
