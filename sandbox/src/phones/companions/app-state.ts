/**
 * The application state of a phone: its name, contacts, archived, pinned and muted chats, labels, and the NCT salt. Like its companions, the
 * phone is a client of the server's collections: it applies their patches and adds its own.
 */
import { element } from '../../base/nodes.ts';
import { hkdfSync, randomBytes } from 'node:crypto';
import { Mutex } from 'async-mutex';
import {
  type BinaryNode,
  decodePatches,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  type LTHashState,
  newLTHashState,
  proto,
  type WAPatchName,
} from 'baileys';
import type { Line } from '../context/requests.ts';
import { type LabelIndex, PhoneLabels } from './labels.ts';
import { type AppStateKey, encodePatch, stateJson, stateOf, actionNctSalt } from './app-state-codec.ts';
import { type Clearing, clearingIn, collections, kinds, type Mark, markIn } from './app-state-kinds.ts';

interface Entry {
  readonly collection: WAPatchName;
  /** Version of this kind of action. */
  readonly version: number;
  /** A serialised `SyncActionValue`. */
  readonly value: Uint8Array;
  readonly removed: boolean;
  published: boolean;
}

export interface AppStateSnapshot {
  readonly nctSalt: string;
  readonly entries: readonly (readonly [string, Omit<Entry, 'value'> & { readonly value: string }])[];
  readonly states: readonly (readonly [string, string])[];
}

export interface ChatSettings {
  readonly archived: boolean;
  readonly pinned: boolean;
  /** ISO 8601, or `always`; null if not muted. */
  readonly mutedUntil: string | null;
  /** Marked as unread by the owner on any device. */
  readonly markedUnread: boolean;
}

const always = -1;
/** Retries when companions write at the same time. */
const attempts = 10;

const encodeValue = (value: proto.ISyncActionValue): Uint8Array =>
  proto.SyncActionValue.encode({ timestamp: Date.now(), ...value }).finish();

/** Key of a phone's application state. All companions share it until the phone is reinstalled. */
export const appStateKeyOf = (identity: Uint8Array): AppStateKey & { readonly rawId: number } => {
  const derived = Buffer.from(hkdfSync('sha256', identity, new Uint8Array(0), 'app state', 40));
  const id = Buffer.concat([Buffer.from([0, 0]), derived.subarray(0, 4)]);
  return { id, data: derived.subarray(8), rawId: derived.readUInt32BE(4) };
};

export class PhoneAppState {
  readonly nctSalt: Uint8Array;
  readonly labels = new PhoneLabels({
    set: (index: LabelIndex, value) => this.#set(index, value),
    all: (kind) => this.#all(kind),
  });
  readonly #line: Line;
  readonly #key: () => AppStateKey;
  readonly #changed: () => void;
  readonly #entries = new Map<string, Entry>();
  readonly #states = new Map<string, LTHashState>();
  readonly #mutex = new Mutex();

  constructor(line: Line, key: () => AppStateKey, changed: () => void, from: AppStateSnapshot | null) {
    this.#line = line;
    this.#key = key;
    this.#changed = changed;
    this.nctSalt = from === null ? randomBytes(32) : Buffer.from(from.nctSalt, 'base64');
    for (const [index, entry] of from?.entries ?? []) {
      this.#entries.set(index, { ...entry, value: Buffer.from(entry.value, 'base64') });
    }
    for (const [name, json] of from?.states ?? []) this.#states.set(name, stateOf(json));
    if (from === null) this.#put(['nct_salt_sync'], actionNctSalt(this.nctSalt), false);
  }

  get saved(): AppStateSnapshot {
    return {
      nctSalt: Buffer.from(this.nctSalt).toString('base64'),
      entries: [...this.#entries].map(([index, entry]) => {
        return [index, { ...entry, value: Buffer.from(entry.value).toString('base64') }] as const;
      }),
      states: [...this.#states].map(([name, state]) => [name, stateJson(state)] as const),
    };
  }

  setName(name: string): void {
    this.#set(['setting_pushName'], { pushNameSetting: { name } });
  }

  /** `name` null removes the contact. */
  setContact(jid: string, name: string | null, lid: string): void {
    const index = ['contact', jid] as const;
    if (name === null) this.#put(index, encodeValue({ contactAction: {} }), true);
    else this.#set(index, { contactAction: { fullName: name, firstName: name.split(' ')[0]!, lidJid: lid } });
  }

  setArchived(jid: string, archived: boolean): void {
    this.#set(['archive', jid], { archiveChatAction: { archived } });
  }

  setPinned(jid: string, pinned: boolean): void {
    this.#set(['pin_v1', jid], { pinAction: { pinned } });
  }

  setRead(jid: string, read: boolean): void {
    this.#set(['markChatAsRead', jid], { markChatAsReadAction: { read } });
  }

  /** `until` in ms; null: always; undefined: not muted. */
  setMuted(jid: string, until: number | null | undefined): void {
    const muted = until !== undefined;
    this.#set(['mute', jid], { muteAction: { muted, muteEndTimestamp: muted ? (until ?? always) : 0 } });
  }

  setStatusPrivacy(mode: proto.SyncActionValue.StatusPrivacyAction.StatusDistributionMode, lids: string[]): void {
    this.#set(['status_privacy'], { statusPrivacy: { mode, userJid: lids } });
  }

  /** `message`: chat, id, `1` if it is the account's own, and in groups the author otherwise. */
  setStarred(message: readonly string[], starred: boolean): void {
    this.#set(['star', ...message], { starAction: { starred } });
  }

  /** `sentAt` in seconds. */
  setDeletedForMe(message: readonly string[], sentAt: number): void {
    const deleteMessageForMeAction = { deleteMedia: true, messageTimestamp: sentAt };
    this.#set(['deleteMessageForMe', ...message], { deleteMessageForMeAction });
  }

  /** `last`: when its last message was sent, in seconds. */
  setCleared(jid: string, last: number, keepsStarred: boolean): void {
    const clearChatAction = { messageRange: { lastMessageTimestamp: last } };
    this.#set(['clearChat', jid, keepsStarred ? '0' : '1', '0'], { clearChatAction });
  }

  setChatDeleted(jid: string, last: number): void {
    this.#set(['deleteChat', jid, '1'], { deleteChatAction: { messageRange: { lastMessageTimestamp: last } } });
  }

  get clearings(): readonly Clearing[] {
    return [...this.#entries].flatMap(([index, { value, removed }]) => (removed ? [] : clearingIn(index, value)));
  }

  get marks(): readonly Mark[] {
    return [...this.#entries].flatMap(([index, { value, removed }]) => (removed ? [] : markIn(index, value)));
  }

  get contacts(): readonly { readonly jid: string; readonly name: string | null }[] {
    const all = [...this.#of('contact'), ...this.#of('lid_contact')].map(
      ([jid, { contactAction, lidContactAction }]) => ({
        jid,
        name: (contactAction ?? lidContactAction)?.fullName ?? null,
      }),
    );
    // A companion removes a contact by writing it without a name.
    return all.filter(({ name }) => name !== null);
  }

  chat(jid: string): ChatSettings {
    const mute = this.#find('mute', jid)?.muteAction;
    const until = Number(mute?.muteEndTimestamp ?? 0);
    return {
      archived: this.#find('archive', jid)?.archiveChatAction?.archived === true,
      pinned: this.#find('pin_v1', jid)?.pinAction?.pinned === true,
      markedUnread: this.#find('markChatAsRead', jid)?.markChatAsReadAction?.read === false,
      mutedUntil: mute?.muted !== true ? null : until === always ? 'always' : new Date(until).toISOString(),
    };
  }

  get name(): string | null {
    const entry = this.#entries.get(JSON.stringify(['setting_pushName']));
    return entry === undefined ? null : (proto.SyncActionValue.decode(entry.value).pushNameSetting?.name ?? null);
  }

  get hasNews(): boolean {
    return [...this.#entries.values()].some(({ published }) => !published);
  }

  /** Starts over under a new key, with the same content. */
  restart(): void {
    this.#states.clear();
    for (const entry of this.#entries.values()) entry.published = false;
  }

  sync(): Promise<void> {
    return this.#mutex.runExclusive(() => this.#syncAll());
  }

  async #syncAll(): Promise<void> {
    for (const name of collections) await this.#syncOne(name);
    this.#changed();
  }

  async #syncOne(name: WAPatchName): Promise<void> {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      await this.#pull(name);
      const waiting = [...this.#entries].filter(([, each]) => each.collection === name && !each.published);
      if (waiting.length === 0) return;
      const mutations = waiting.map(([json, { value, version, removed: remove }]) => {
        const index: string[] = JSON.parse(json);
        return { index, value, version, remove };
      });
      const before = this.#states.get(name) ?? newLTHashState();
      const { patch, state } = encodePatch(name, before, mutations, this.#key());
      const answer = await this.#ask(name, before.version, patch);
      if (answer.attrs['type'] === 'error') continue;
      this.#states.set(name, state);
      for (const [index, entry] of waiting) {
        entry.published = true;
        if (entry.removed && this.#entries.get(index) === entry) this.#entries.delete(index);
      }
      return;
    }
    throw new Error(`the collection ${name} could not be written`);
  }

  async #pull(name: WAPatchName): Promise<void> {
    const { id, data: keyData } = this.#key();
    const known = Buffer.from(id).toString('base64');
    for (let more = true; more;) {
      const before = this.#states.get(name) ?? newLTHashState();
      const answer = await this.#ask(name, before.version);
      const patches = getBinaryNodeChildren(getBinaryNodeChild(answer, 'patches'), 'patch').map(({ content }) =>
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a patch is bytes
        proto.SyncdPatch.decode(content as Uint8Array),
      );
      more = answer.attrs['has_more_patches'] === 'true';
      if (patches.length === 0) return;
      const keyOf = async (asked: string) => (asked === known ? { keyData } : undefined);
      const { state, mutationMap } = await decodePatches(name, patches, before, keyOf, {}, undefined, undefined, true);
      this.#states.set(name, state);
      for (const { index, syncAction } of Object.values(mutationMap)) this.#take(name, index, syncAction);
    }
  }

  #take(collection: WAPatchName, index: readonly string[], { value, version }: proto.ISyncActionData): void {
    const own = this.#entries.get(JSON.stringify(index));
    // An unpublished local change is newer.
    if (!value || own?.published === false) return;
    const bytes = proto.SyncActionValue.encode(value).finish();
    const entry = { collection, version: version ?? 1, value: bytes, removed: false, published: true };
    this.#entries.set(JSON.stringify(index), entry);
  }

  async #ask(name: string, version: number, patch?: Uint8Array): Promise<BinaryNode> {
    const attrs = { name, version: String(version), return_snapshot: 'false' };
    const content: BinaryNode[] = patch === undefined ? [] : [element('patch', {}, patch)];
    const sync: BinaryNode = { tag: 'sync', attrs: {}, content: [{ tag: 'collection', attrs, content }] };
    const iq = { to: '@s.whatsapp.net', type: 'set', xmlns: 'w:sync:app:state' };
    const answer = await this.#line.ask({ tag: 'iq', attrs: iq, content: [sync] });
    const collection = getBinaryNodeChild(getBinaryNodeChild(answer, 'sync'), 'collection');
    if (collection === undefined) throw new Error(`the server does not answer for ${name}`);
    return collection;
  }

  #set(index: readonly [keyof typeof kinds, ...string[]], value: proto.ISyncActionValue): void {
    this.#put(index, encodeValue(value), false);
  }

  #put(index: readonly [keyof typeof kinds, ...string[]], value: Uint8Array, removed: boolean): void {
    this.#entries.set(JSON.stringify(index), { ...kinds[index[0]], value, removed, published: false });
    this.#changed();
  }

  #find(kind: keyof typeof kinds, jid: string): proto.ISyncActionValue | null {
    const entry = this.#entries.get(JSON.stringify([kind, jid]));
    return entry === undefined || entry.removed ? null : proto.SyncActionValue.decode(entry.value);
  }

  #of(kind: keyof typeof kinds): (readonly [string, proto.ISyncActionValue])[] {
    return this.#all(kind).map(([[, jid = ''], value]) => [jid, value] as const);
  }

  #all(kind: keyof typeof kinds): (readonly [readonly string[], proto.ISyncActionValue])[] {
    return [...this.#entries].flatMap(([json, { removed, value }]) => {
      const index: string[] = JSON.parse(json);
      return index[0] === kind && !removed ? [[index, proto.SyncActionValue.decode(value)] as const] : [];
    });
  }
}
