/** A network that does what a test says, for what the sandbox cannot be made to do: exact times, and orders of events. */
import { foundRecipient } from '../../src/domain/chats/recipient.ts';
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../src/domain/clock.ts';
import { type DeviceSettings, defaultSettings } from '../../src/domain/device.ts';
import type { SessionChanges } from '../../src/domain/changes.ts';
import type { OutgoingMessage, SentMessage } from '../../src/domain/messages/outgoing.ts';
import type { AppStateMutation } from '../../src/domain/app-state.ts';
import type { ConnectOptions, Network, NetworkSession, SessionListener } from '../../src/domain/network.ts';
import type { PasskeyCredential } from '../../src/domain/passkey.ts';
import type { Account, DisconnectReason } from '../../src/domain/sessions/state.ts';
import type { ChangeStore } from '../../src/domain/stores.ts';
import { HandsetError, SendOutcomeUnknown, deviceNotConnected } from '../../src/errors.ts';
import { failureOf } from '../../src/whatsapp/send/failure.ts';
import { Outbox } from '../../src/whatsapp/send/outbox.ts';
import { DeviceCaptures } from '../../src/whatsapp/capture/captures.ts';
import { quietConversation } from '../support/conversation.ts';
import { acceptedRecord, asSaid, encipherInMemory, takePng } from '../support/accepted.ts';
import { quietChannels } from '../support/channels/fixture.ts';
import { quietGroups } from '../support/groups.ts';
import { quietStatuses } from '../support/statuses/fixture.ts';

export const accountOf = (deviceId: number): Account => ({
  jid: `49151000${deviceId}@s.whatsapp.net`,
  lid: `9000${deviceId}@lid`,
  phoneNumber: `49151000${deviceId}`,
  name: 'Ada',
  platform: 'android',
});

interface Outgoing {
  readonly message: OutgoingMessage;
  readonly record: { readonly isGroup: boolean; readonly acceptedAt: null };
}

export class ScriptedSession implements NetworkSession {
  readonly deviceId: number;
  readonly pairingNumber: string | null;
  readonly listener: SessionListener;
  readonly sent: OutgoingMessage[] = [];
  /** Settings of the connection, newest last. */
  readonly settings: DeviceSettings[];
  readonly conversation = quietConversation;
  readonly groups = quietGroups;
  readonly statuses = quietStatuses;
  readonly channels = quietChannels;
  ended = false;
  loggedOut = false;
  /** The outcome of a send; by default the network accepts at once. */
  onSend: (message: OutgoingMessage) => Promise<void> = async () => undefined;
  onLogout: () => Promise<void> = async () => undefined;
  /** Numbers that nobody has. */
  readonly nobody = new Set<string>();
  readonly #changes: ChangeStore;
  /** The driver's own; each message leaves when the network has given its answer to the one before. */
  readonly #outbox: Outbox<Outgoing>;

  constructor(options: ConnectOptions, listener: SessionListener, changes: ChangeStore, clock: Pick<Clock, 'now'>) {
    this.#outbox = new Outbox(async (batch) => {
      for (const { outbound, left, failed } of batch) await this.onSend(outbound.message).then(left, failed);
    }, clock);
    this.deviceId = options.deviceId;
    this.pairingNumber = options.pairingNumber;
    this.listener = listener;
    this.settings = [options.settings ?? defaultSettings];
    this.#changes = changes;
  }

  readonly written: AppStateMutation[] = [];
  /** The outcome of a write of application state; by default the network takes it at once. */
  onWrite: () => Promise<void> = async () => undefined;

  async writeAppState(mutations: readonly AppStateMutation[]): Promise<void> {
    await this.onWrite();
    this.written.push(...mutations);
  }

  applySettings(settings: DeviceSettings): void {
    this.settings.push(settings);
  }

  offer(qrText: string, code: string | null = null): void {
    const expiresAt = Date.UTC(2026, 0, 1, 0, 1);
    this.listener.pairing({ qrText, qrExpiresAt: expiresAt, code: code === null ? null : { code, expiresAt } });
  }

  /** Credentials that were given, and whether the code was confirmed. */
  readonly passkeys: PasskeyCredential[] = [];
  confirmed = false;
  onPasskey: () => Promise<void> = async () => undefined;

  async answerPasskey(credential: PasskeyCredential): Promise<void> {
    this.passkeys.push(credential);
    await this.onPasskey();
  }

  async confirmPasskey(): Promise<void> {
    this.confirmed = true;
  }

  /** As the driver does it: stored, then told. */
  async link(): Promise<void> {
    const account = accountOf(this.deviceId);
    await this.#changes.commit(this.deviceId, { credentials: Buffer.from('linked'), account });
    this.listener.linked(account);
  }

  open(): void {
    this.listener.open(accountOf(this.deviceId));
  }

  end(reason: DisconnectReason): void {
    if (this.ended) return;
    this.ended = true;
    this.listener.closed(reason);
  }

  lose(): void {
    this.end({ kind: 'lost', detail: 'cut' });
  }

  async lookUp(number: string): Promise<string | null> {
    if (this.ended) throw deviceNotConnected(this.deviceId);
    return this.nobody.has(number) ? null : `${number}@s.whatsapp.net`;
  }

  async upload(): Promise<Uint8Array> {
    return new Uint8Array(1);
  }

  async send(given: OutgoingMessage, address = async () => foundRecipient(given.recipient)): Promise<SentMessage> {
    if (this.ended) throw deviceNotConnected(this.deviceId);
    const { until, isRepeat: _, ...said } = given;
    const preparing = address().then((recipient) => {
      const message = { ...said, recipient };
      return { message, record: { isGroup: recipient.kind === 'group', acceptedAt: null } };
    });
    await this.#outbox.post(preparing, until).catch((cause: unknown) => {
      throw failureOf(given, cause, null);
    });
    const { message } = await preparing;
    this.sent.push(message);
    const record = acceptedRecord(message, accountOf(this.deviceId), Date.UTC(2026, 0, 1));
    await this.#changes.commit(this.deviceId, { messages: [record], sent: 1 });
    return { record };
  }

  async downloadMedia(): Promise<AsyncIterable<Uint8Array>> {
    return (async function* () {
      yield Buffer.from('media');
    })();
  }

  async fetchMedia(): Promise<number> {
    throw new Error('no media is fetched here');
  }

  async logout(): Promise<void> {
    await this.onLogout();
    this.loggedOut = true;
    await this.close();
  }

  async close(): Promise<void> {
    this.end({ kind: 'requested' });
  }

  cut(): void {
    this.end({ kind: 'requested' });
  }
}

export const lostInTheMiddle = (): HandsetError =>
  new HandsetError('SendFailed', 'Failed to send message', {
    cause: new SendOutcomeUnknown('the connection was lost'),
  });

export class ScriptedNetwork implements Network {
  readonly sandbox = false;
  readonly sessions: ScriptedSession[] = [];
  /** Called with each new session. */
  onConnect: (session: ScriptedSession) => void = () => undefined;
  readonly #changes: ChangeStore;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(changes: ChangeStore, clock: Pick<Clock, 'now'> = Date) {
    this.#changes = changes;
    this.#clock = clock;
  }

  connect(options: ConnectOptions, listener: SessionListener): ScriptedSession {
    const session = new ScriptedSession(options, listener, this.#changes, this.#clock);
    this.sessions.push(session);
    queueMicrotask(() => this.onConnect(session));
    return session;
  }

  /** Sessions that have not ended. */
  live(deviceId?: number): ScriptedSession[] {
    return this.sessions.filter((one) => !one.ended && (deviceId === undefined || one.deviceId === deviceId));
  }

  readonly unread = { slow: 0, stuck: 0 };
  readonly captures = new DeviceCaptures({ now: () => Date.now() });
  readonly preparePicture = takePng;

  async readPage(): Promise<null> {
    return null;
  }

  /** Why the network cannot be reached; null: it can. */
  unreachable: string | null = null;

  async reach(): Promise<string | null> {
    return this.unreachable;
  }

  readonly encipher = encipherInMemory;
  readonly prepareFile = asSaid;

  async decipher(): Promise<AsyncIterable<Uint8Array>> {
    throw new Error('no media is kept here');
  }

  async adoptSession(): Promise<never> {
    throw new Error('no session is moved here');
  }

  async releaseSession(): Promise<Record<string, string>> {
    return {};
  }

  async reread(): Promise<SessionChanges> {
    return {};
  }

  partId(messageId: string, index: number): string {
    return `${messageId}-${index}`;
  }

  newMessageId(): string {
    return `3EB0${randomBytes(9).toString('hex').toUpperCase()}`;
  }
}
