/** Linking with a passkey, for the owner of the device and for a browser with a one-time token. */
import { randomBytes } from 'node:crypto';
import type { Passkey, PasskeyCredential } from '../../domain/passkey.ts';
import type { NetworkSession } from '../../domain/network.ts';
import type { User } from '../../domain/user.ts';
import { HandsetError, notFound } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceScope } from '../sessions/scope.ts';
import { type PasskeyToken, PasskeyTokens } from './passkey-tokens.ts';

export interface PasskeyView {
  readonly passkey: Passkey;
  readonly token: PasskeyToken | null;
}

export const makePasskeys = (parts: LiveParts) => {
  const { stores, runtimes, clock } = parts;
  const tokens = new PasskeyTokens(parts.tokenKey ?? randomBytes(32));

  /** Throws NotFound if the network asks for no passkey. */
  const asked = async (scope: DeviceScope): Promise<{ passkey: Passkey; session: NetworkSession }> => {
    const { state } = runtimes.sessionOf(await scope.record());
    const session = runtimes.find(scope.id)?.connection.session ?? null;
    if (state.kind !== 'passkey_required' || session === null) throw notFound('Passkey');
    return { passkey: state.passkey, session };
  };

  return {
    async get(scope: DeviceScope): Promise<PasskeyView> {
      const { passkey } = await asked(scope);
      return {
        passkey,
        token: passkey.step === 'response' ? tokens.issue(scope.id, passkey.options.challenge, clock.now()) : null,
      };
    },
    /** Throws InvalidRequest if the network refuses the credential, Conflict at another step. */
    async respond(scope: DeviceScope, credential: PasskeyCredential): Promise<void> {
      const { session } = await asked(scope);
      await session.answerPasskey(credential);
    },
    async confirm(scope: DeviceScope): Promise<void> {
      const { session } = await asked(scope);
      await session.confirmPasskey();
    },
    /** Owner of the token's device; null if the token is invalid. */
    async ownerOf(id: number, token: string): Promise<User | null> {
      if (!tokens.isValid(id, token, clock.now())) return null;
      const record = await stores.devices.find(id);
      return record === null ? null : stores.users.find(record.userId);
    },
    /** Throws Unauthorized if the token was used meanwhile, or its ceremony is over. */
    spend({ id }: DeviceScope, token: string): void {
      const state = runtimes.find(id)?.session.state;
      const passkey = state?.kind === 'passkey_required' ? state.passkey : null;
      const challenge = passkey?.step === 'response' ? passkey.options.challenge : null;
      if (challenge === null || !tokens.use(id, token, challenge, clock.now())) {
        throw new HandsetError('Unauthorized', 'The one-time token has been used or has expired');
      }
    },
  };
};
