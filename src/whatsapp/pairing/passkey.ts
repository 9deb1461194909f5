/** Linking with a passkey, from the network's request to the keys for the phone. */
import { randomBytes } from 'node:crypto';
import type { BinaryNode } from '../library/nodes.ts';
import type { Socket } from '../socket/socket.ts';
import type { Clock, Timer } from '../../domain/clock.ts';
import type { Passkey, PasskeyCredential, PasskeyOptions } from '../../domain/passkey.ts';
import type { DisconnectReason } from '../../domain/sessions/state.ts';
import { HandsetError, invalidRequest, messageOf } from '../../errors.ts';
import {
  codeToCompare,
  type CompanionSecrets,
  handOffKey,
  handOffProof,
  newSecrets,
  type PrimaryIdentity,
  primaryIdentityOf,
  prologuePayload,
  sealedPairingRequest,
  assertionJson,
  checkCredential,
  lifetimeOf,
  passkeyOptions,
} from './passkey-parts.ts';
import { Refused } from '../socket/query.ts';
import { ask, bytesOf, leaf, textOf } from './stanzas.ts';

export interface CeremonyEvents {
  changed(passkey: Passkey): void;
  failed(reason: DisconnectReason): void;
}

/** How long the scanned secret vouches for this device. */
const handOffMs = 300_000;
/** Minimum time for phone and network after a person has acted. */
const finishMs = 60_000;

const conflict = (message: string): HandsetError => new HandsetError('Conflict', message);

export class PasskeyCeremony {
  readonly #sock: Socket;
  readonly #clock: Clock;
  readonly #events: CeremonyEvents;
  #handOff: { readonly key: Uint8Array; readonly until: number } | null = null;
  #handedOff = false;
  #options: PasskeyOptions | null = null;
  #secrets: CompanionSecrets | null = null;
  #primary: PrimaryIdentity | null = null;
  #step: Passkey['step'] = 'response';
  #expiresAt = 0;
  #busy = false;
  #timer: Timer | null = null;

  constructor(sock: Socket, clock: Clock, events: CeremonyEvents) {
    this.#sock = sock;
    this.#clock = clock;
    this.#events = events;
  }

  /** The network's request. It retires the adv secret, which from now on only proves who was scanned. */
  async begin(notification: BinaryNode): Promise<void> {
    const { creds } = this.#sock;
    this.#handOff = { key: handOffKey(creds.advSecretKey), until: this.#clock.now() + handOffMs };
    creds.advSecretKey = randomBytes(32).toString('base64');
    this.#expireIn(finishMs);
    try {
      this.#options = await passkeyOptions(this.#sock, notification);
    } catch (error) {
      this.#events.failed({ kind: 'pairing_failed', detail: messageOf(error) });
      return;
    }
    this.#expireIn(lifetimeOf(this.#options));
    this.#tellOptions(this.#options, null);
  }

  /** Throws InvalidRequest if the network refuses the credential: another may be given. */
  async respond(credential: PasskeyCredential): Promise<void> {
    const options = this.#options;
    if (this.#step !== 'response' || options === null || this.#busy) {
      throw conflict('No passkey response is expected now');
    }
    checkCredential(credential, options);
    this.#busy = true;
    try {
      await this.#sendPrologue(credential);
    } catch (error) {
      if (!(error instanceof Refused)) {
        throw new HandsetError('PairingFailed', `The passkey could not be passed on: ${messageOf(error)}`, {
          cause: error,
        });
      }
      await this.#askAgain(options, error.message);
      throw invalidRequest(`credential: the network refused it: ${error.message}`);
    } finally {
      this.#busy = false;
    }
    if (this.#primary === null) this.#enter({ step: 'phone', expiresAt: this.#atLeast(finishMs) });
  }

  /** `crsc_continuation`: the phone's part. Ignored unless it belongs to our response. */
  async continuation(notification: BinaryNode): Promise<void> {
    const bytes = bytesOf(notification, 'primary_ephemeral_identity');
    const secrets = this.#secrets;
    if (bytes === undefined || secrets === null || this.#primary !== null) return;
    try {
      const primary = primaryIdentityOf(bytes);
      this.#primary = primary;
      await ask(this.#sock, 'set', leaf('companion_nonce', secrets.nonce));
      if (this.#handedOff) await this.#handKeysOver(secrets, primary);
      else {
        const code = codeToCompare(secrets, primary);
        this.#enter({ step: 'confirm', code, expiresAt: this.#atLeast(finishMs) });
      }
    } catch (error) {
      this.#events.failed({ kind: 'pairing_failed', detail: messageOf(error) });
    }
  }

  async confirm(): Promise<void> {
    if (this.#step !== 'confirm' || this.#secrets === null || this.#primary === null || this.#busy) {
      throw conflict('There is no code to compare now');
    }
    this.#busy = true;
    try {
      await this.#handKeysOver(this.#secrets, this.#primary);
    } catch (error) {
      const detail = messageOf(error);
      this.#events.failed({ kind: 'pairing_failed', detail });
      throw new HandsetError('PairingFailed', `The linking could not be completed: ${detail}`, { cause: error });
    } finally {
      this.#busy = false;
    }
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  async #sendPrologue(credential: PasskeyCredential): Promise<void> {
    const ref = textOf(await ask(this.#sock, 'get', leaf('ref')), 'ref');
    if (ref === undefined) throw new Error('the network gave no reference for the ceremony');
    const secrets = newSecrets(ref);
    const payload = prologuePayload(secrets);
    const handOff = this.#handOff !== null && this.#clock.now() < this.#handOff.until ? this.#handOff : null;
    // The phone may be faster than the answer to this request.
    this.#secrets = secrets;
    this.#handedOff = handOff !== null;
    try {
      await ask(this.#sock, 'set', {
        tag: 'passkey_prologue',
        attrs: {},
        content: [
          leaf('credential_id', Buffer.from(credential.rawId, 'base64url')),
          leaf('webauthn_assertion', Buffer.from(assertionJson(credential))),
          leaf('prologue_payload', payload),
          ...(handOff === null ? [] : [leaf('pairing_handoff_proof', handOffProof(handOff.key, payload))]),
        ],
      });
    } catch (error) {
      if (this.#primary === null) this.#secrets = null;
      throw error;
    }
  }

  async #askAgain(before: PasskeyOptions, refusal: string): Promise<void> {
    this.#options = await passkeyOptions(this.#sock, null).catch(() => before);
    this.#tellOptions(this.#options, refusal);
  }

  async #handKeysOver(secrets: CompanionSecrets, primary: PrimaryIdentity): Promise<void> {
    const { creds } = this.#sock;
    await ask(this.#sock, 'set', leaf('encrypted_pairing_request', sealedPairingRequest(secrets, primary, creds)));
    this.#enter({ step: 'phone', expiresAt: this.#atLeast(finishMs) });
  }

  #tellOptions(options: PasskeyOptions, refusal: string | null): void {
    const handOffUntil = this.#handOff?.until ?? 0;
    this.#enter({ step: 'response', options, handOffUntil, expiresAt: this.#expiresAt, refusal });
  }

  #enter(passkey: Passkey): void {
    this.#step = passkey.step;
    this.#events.changed(passkey);
  }

  #atLeast(ms: number): number {
    const left = this.#expiresAt - this.#clock.now();
    if (left < ms) this.#expireIn(ms);
    return this.#expiresAt;
  }

  #expireIn(ms: number): void {
    this.#timer?.cancel();
    this.#expiresAt = this.#clock.now() + ms;
    this.#timer = this.#clock.after(ms, () => this.#events.failed({ kind: 'passkey_expired' }));
  }
}
