/** The client payload of a login or a pairing. */
import { proto } from '../library/proto.ts';
import {
  Browsers,
  DEFAULT_CONNECTION_CONFIG,
  generateLoginNode,
  generateRegistrationNode,
} from '../library/protocol.ts';
import type { AuthenticationCreds } from '../library/types.ts';

export const browser = Browsers.macOS('Chrome');

export interface Client {
  readonly revision: number;
  /** The phone is asked for all of its history when the device is linked. */
  readonly fullHistory: boolean;
}

/** `login`: fields that replace those of the library. */
export const clientPayload = (
  creds: AuthenticationCreds,
  { revision, fullHistory }: Client,
  login: Partial<proto.IClientPayload>,
): Uint8Array => {
  const config = {
    ...DEFAULT_CONNECTION_CONFIG,
    version: [2, 3000, revision] satisfies [number, number, number],
    browser,
    syncFullHistory: fullHistory,
  };
  const payload =
    creds.me === undefined
      ? generateRegistrationNode(creds, config)
      : { ...generateLoginNode(creds.me.id, config), ...login };
  return proto.ClientPayload.encode(payload).finish();
};
