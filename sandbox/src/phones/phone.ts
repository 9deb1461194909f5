/** A phone of the sandbox: device 0 of its account, and a real end-to-end peer. */
import { proto } from 'baileys';
import { PasskeyAsked } from '../server/linking/passkey.ts';
import type { Account, Device, PhoneIdentity, Hub, Tokens } from '../base/types.ts';
import { appStateKeyOf, PhoneAppState } from './companions/app-state.ts';
import type { Authenticator } from './companions/authenticator.ts';
import {
  changeBehaviour,
  type Behaviour,
  type MediaLocation,
  type OldChats,
  type PhoneContext,
  type PhoneCounters,
} from './context/context.ts';
import { Calls } from './sending/calls.ts';
import { MessageMarks } from './companions/message-marks.ts';
import { Line, askToGiveToken, askToPublish } from './context/requests.ts';
import { shareWithCompanion } from './companions/linking.ts';
import { expireMedia } from './receiving/media-retry.ts';
import { tellMapping } from './companions/history.ts';
import { openMessageMedia } from './kinds/media.ts';
import { changeProfile, type ProfileChange, Presence } from './presence.ts';
import { Receiving } from './receiving/receiving.ts';
import { PhoneGroups } from './groups.ts';
import { Retries } from './receiving/retries.ts';
import { SignalPeer } from './signal/signal-peer.ts';
import { newSignalState, publicKeys, rawKey, restoreSignal, type SignalState } from './signal/signal-state.ts';
import { newMemory, type PhoneSnapshot, snapshotPhone } from './snapshot.ts';
import { PhoneStatuses } from './statuses.ts';
import { MessageView } from './context/view.ts';
import { Writer } from './sending/writer.ts';
import { conflict, notFound } from '../base/errors.ts';

export interface PhoneOptions {
  readonly hub: Hub;
  readonly account: Account;
  readonly media: MediaLocation;
  readonly from: PhoneSnapshot | null;
  readonly changed: () => void;
  readonly report: (error: unknown) => void;
}

const keysOf = (state: SignalState): PhoneContext['keys'] => ({ state, peer: new SignalPeer(state) });

const phoneDevice = (account: Account): Device => {
  const device = account.devices.get(0);
  if (device === undefined) throw new Error(`account ${account.number} has no device 0`);
  return device;
};

export class Phone {
  readonly writer: Writer;
  readonly calls: Calls;
  readonly marks: MessageMarks;
  readonly presence: Presence;
  readonly groups: PhoneGroups;
  readonly #context: PhoneContext;
  readonly #receiving: Receiving;
  #passkeyCode: string | null = null;
  #statuses: PhoneStatuses | null = null;

  constructor({ hub, account, media, from, changed, report }: PhoneOptions) {
    const device = phoneDevice(account);
    const view = new MessageView();
    if (from !== null) view.restore(from.view);
    const line = new Line(hub, device, (node) => this.presence.takes(node) || this.#receiving.take(node));
    const keys = keysOf(from === null ? newSignalState() : restoreSignal(from.signal));
    const keyOf = () => appStateKeyOf(this.#context.keys.state.identity.privKey);
    const appState = new PhoneAppState(line, keyOf, changed, from?.appState ?? null);
    const parts = { hub, account, device, line, keys, view, media, appState, changed, report };
    this.#context = { ...parts, ...newMemory(from, changed) };
    if (from?.appState === undefined) appState.setName(account.name);
    hub.tokensOf(account).nctSalt = appState.nctSalt;
    this.marks = new MessageMarks(this.#context);
    this.#receiving = new Receiving(this.#context, new Retries(this.#context), this.marks);
    this.writer = new Writer(this.#context);
    this.calls = new Calls(this.#context);
    this.presence = new Presence(this.#context);
    this.groups = new PhoneGroups(line);
    // After a restart the server still has them, except those handed out.
    device.keys ??= publicKeys(keys.state);
    if (this.behaviour.online) line.connect();
  }

  get account(): Account {
    return this.#context.account;
  }

  get view(): MessageView {
    return this.#context.view;
  }

  get behaviour(): Readonly<Behaviour> {
    return this.#context.behaviour;
  }

  get counters(): Readonly<PhoneCounters> {
    return this.#context.counters;
  }

  get appState(): PhoneAppState {
    return this.#context.appState;
  }

  async shareAppState(): Promise<void> {
    await this.marks.share();
  }

  rememberChats(chats: OldChats): void {
    this.#context.oldChats.push(chats);
    this.#context.changed();
  }

  async changeProfile(change: ProfileChange): Promise<void> {
    this.#online();
    await changeProfile(this.#context.line, change);
  }

  get tokens(): Tokens {
    return this.#context.hub.tokensOf(this.account);
  }

  async giveToken(to: Account): Promise<void> {
    this.#online();
    await askToGiveToken(this.#context.line, to.lid);
  }

  rename(name: string): void {
    this.account.name = name;
    this.appState.setName(name);
  }

  get authenticator(): Authenticator {
    return this.#context.authenticator;
  }

  get passkeyCode(): string | null {
    return this.#passkeyCode;
  }

  behave(members: Partial<Behaviour>): void {
    changeBehaviour(this.#context, members);
    if (this.appState.hasNews && this.#hasCompanion) this.shareAppState().catch(this.#context.report);
    this.#context.changed();
  }

  /** Whether chats with persons use LIDs; companions are told on a change to true. */
  async migrate(migrated: boolean): Promise<void> {
    const { account, changed } = this.#context;
    const tells = migrated && !account.migrated && account.migrationTold.includes('mapping');
    if (tells && account.devices.size > 1) this.#online();
    account.migrated = migrated;
    if (tells) await tellMapping(this.#context);
    changed();
  }

  renewLid(): void {
    if (this.account.devices.size > 1) throw conflict('unlink its devices first: a new LID is a new account');
    this.#context.hub.renewLid(this.account);
    this.#context.changed();
  }

  async scan(qrText: string): Promise<Device> {
    this.#online();
    return this.#link(() => this.#context.hub.pairByQr(this.#identity(), qrText));
  }

  async enterCode(code: string): Promise<Device> {
    this.#online();
    return this.#link(() => this.#context.hub.pairByCode(this.#identity(), code));
  }

  unlink(number: number): boolean {
    const device = number === 0 ? undefined : this.account.devices.get(number);
    if (device === undefined) return false;
    this.#context.hub.unlink(device);
    this.#context.changed();
    return true;
  }

  /** New identity, without sessions or linked devices; the view is kept, as from a backup. */
  async reinstall(): Promise<void> {
    const { hub, account, line, appState, changed } = this.#context;
    this.#online();
    for (const id of [...this.account.devices.keys()].filter((number) => number !== 0)) this.unlink(id);
    const state = newSignalState();
    this.#context.keys = keysOf(state);
    hub.forgetAppState(account);
    hub.loseTokens(account);
    appState.restart();
    await askToPublish(line, publicKeys(state));
    changed();
  }

  loseSessions(): void {
    const { keys, changed } = this.#context;
    const lost = { sessions: new Map(), senderKeys: new Map(), senderKeyHolders: new Map() };
    this.#context.keys = keysOf({ ...keys.state, ...lost });
    changed();
  }

  createGroup(...given: Parameters<PhoneGroups['create']>): Promise<string> {
    return this.groups.create(...given);
  }

  get statuses(): PhoneStatuses {
    return (this.#statuses ??= new PhoneStatuses(this.#context));
  }

  async mediaOf(id: string): Promise<{ readonly mimetype: string; readonly bytes: Buffer }> {
    const bytes = this.#context.content.get(id) ?? this.#context.sent.get(id)?.bytes;
    const file = bytes && (await openMessageMedia(proto.Message.decode(bytes), this.#context.media));
    if (!file) throw notFound(`there is no media of a message ${id} on this phone`);
    return file;
  }

  /** Removes a file from the media host; if `lost`, from the phone as well. */
  expireMedia(id: string, lost: boolean): void {
    expireMedia(this.#context, id, lost);
  }

  snapshot(): PhoneSnapshot {
    return snapshotPhone(this.#context);
  }

  idle(): Promise<void> {
    return this.#receiving.idle();
  }

  close(): void {
    this.#context.line.disconnect();
  }

  get #hasCompanion(): boolean {
    return this.account.devices.size > 1;
  }

  #online(): void {
    if (!this.#context.line.isOpen) throw conflict('the phone is offline');
  }

  #identity(): PhoneIdentity {
    const { authenticator, keys } = this.#context;
    const { identity } = keys.state;
    return {
      account: this.account,
      identity: { public: rawKey(identity.pubKey), private: identity.privKey },
      linking: this.behaviour.linking,
      get passkey() {
        return authenticator.registered;
      },
      showCode: (code) => {
        this.#passkeyCode = code;
      },
    };
  }

  async #link(link: () => Promise<Device>): Promise<Device> {
    this.#passkeyCode = null;
    try {
      return this.#shareWithCompanion(await link());
    } catch (error) {
      // Continues once the client has answered with the passkey.
      if (error instanceof PasskeyAsked)
        void error.linked.then((device) => this.#shareWithCompanion(device)).catch(() => undefined);
      throw error;
    }
  }

  #shareWithCompanion(device: Device): Device {
    this.#context.changed();
    shareWithCompanion(this.#context, device).catch(this.#context.report);
    return device;
  }
}
