/** Linking behind a passkey, for the owner of the device and for a browser with a one-time token. */
import { randomBytes } from 'node:crypto';
import type { Passkey, PasskeyCredential } from '../../domain/passkey.ts';
import type { NetworkSession } from '../../domain/network.ts';
import type { User } from '../../domain/user.ts';
import { HandsetError, notFound } from '../../errors.ts';
import { ownedDevice } from './access.ts';
import type { LiveParts } from '../parts.ts';
import { type PasskeyToken, PasskeyTokens } from './passkey-tokens.ts';

export interface PasskeyView {
  readonly passkey: Passkey;
  /** For one response; null when none is expected. */
  readonly token: PasskeyToken | null;
}

export interface DevicePasskeys {
  /** Throws NotFound when the network asks for no passkey. */
  get(userId: number, id: number): Promise<PasskeyView>;
  /** Throws InvalidRequest when the network refuses the credential, Conflict when it is not its time. */
  respond(userId: number, id: number, credential: PasskeyCredential): Promise<void>;
  /** A person has compared the code. Throws Conflict when there is none. */
  confirm(userId: number, id: number): Promise<void>;
  /** Whose device the one-time token is for; null when it is not valid for it. */
  ownerOf(id: number, token: string): Promise<User | null>;
  /** Takes the token for the one response that it is good for. Throws Unauthorized when that was taken meanwhile, or its ceremony is over. */
  spend(id: number, token: string): void;
}

export const makeDevicePasskeys = (parts: LiveParts): DevicePasskeys => {
  const { stores, runtimes, clock } = parts;
  const tokens = new PasskeyTokens(parts.tokenKey ?? randomBytes(32));

  const asked = async (userId: number, id: number): Promise<{ passkey: Passkey; session: NetworkSession }> => {
    const { state } = runtimes.sessionOf(await ownedDevice(stores.devices, userId, id));
    const session = runtimes.find(id)?.connection.session ?? null;
    if (state.kind !== 'passkey_required' || session === null) throw notFound('Passkey');
    return { passkey: state.passkey, session };
  };

  return {
    async get(userId, id) {
      const { passkey } = await asked(userId, id);
      return {
        passkey,
        token: passkey.step === 'response' ? tokens.issue(id, passkey.options.challenge, clock.now()) : null,
      };
    },
    async respond(userId, id, credential) {
      const { session } = await asked(userId, id);
      await session.answerPasskey(credential);
    },
    async confirm(userId, id) {
      const { session } = await asked(userId, id);
      await session.confirmPasskey();
    },
    async ownerOf(id, token) {
      if (!tokens.isValid(id, token, clock.now())) return null;
      const record = await stores.devices.find(id);
      return record === null ? null : stores.users.find(record.userId);
    },
    spend(id, token) {
      const state = runtimes.find(id)?.session.state;
      const passkey = state?.kind === 'passkey_required' ? state.passkey : null;
      const challenge = passkey?.step === 'response' ? passkey.options.challenge : null;
      if (challenge === null || !tokens.use(id, token, challenge, clock.now())) {
        throw new HandsetError('Unauthorized', 'The one-time token has been used or has expired');
      }
    },
  };
};
