/** Stored state of a collection, the network queries that read and change it, and requests to the phone for its keys. */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '../../library/nodes.ts';
import { encodeSyncdPatch, type LTHashState } from '../../library/protocol.ts';
import { proto } from '../../library/proto.ts';
import type { AuthenticationCreds } from '../../library/types.ts';
import type { Socket } from '../../socket/socket.ts';
import { HandsetError, invalidRequest } from '../../../errors.ts';
import type { Endpoint } from '../../connection/endpoint.ts';
import type { SessionStore } from '../../state/session-store.ts';
import { downloadFile } from '../../media/download.ts';
import type { SendToPhone } from '../../send/peer-message.ts';
import { decodeKey } from '../../signal/key-store.ts';
import type { Patch } from './chat-patches.ts';
import { advance, type Advanced, type CollectionAnswer, type CollectionName, readAnswer } from './collection.ts';
import { type CollectionState, nameOfIndex, partOf, readState, withPartsOf } from './collection-state.ts';
import { type AppStateKeys, indexMacOf, MissingKeys } from './records.ts';

export interface QueryParts {
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  readonly sock: Socket;
  readonly endpoint: Endpoint;
  readonly store: SessionStore;
}

/** Bytes of all files of an answer. */
const maxDownloaded = 64 * 1024 * 1024;

export const keysOf = async ({ store, deviceId }: QueryParts, ids: readonly string[]): Promise<AppStateKeys> => {
  const found = await store.readKeys(deviceId, 'app-state-sync-key', ids);
  const keys = new Map<string, Uint8Array>();
  for (const [id, bytes] of found) {
    const { keyData } = decodeKey('app-state-sync-key', bytes);
    if (keyData) keys.set(id, keyData);
  }
  return keys;
};

const askFor = async (
  parts: QueryParts,
  name: CollectionName,
  before: CollectionState | null,
  content?: BinaryNode[],
): Promise<BinaryNode | null> => {
  const version = String(before?.version ?? 0);
  const attrs = { name, version, return_snapshot: String(before === null) };
  const collection: BinaryNode = { tag: 'collection', attrs, ...(content === undefined ? {} : { content }) };
  const sync: BinaryNode = { tag: 'sync', attrs: {}, content: [collection] };
  const [to, xmlns, type] = [S_WHATSAPP_NET, 'w:sync:app:state', 'set'];
  // The order of attributes differs between writes and reads (docs/internals/wire.md).
  const iq = content === undefined ? { to, xmlns, type } : { to, type, xmlns };
  const [answer = null] = await parts.sock.askTogether([{ tag: 'iq', attrs: iq, content: [sync] }]);
  const collections = getBinaryNodeChildren(getBinaryNodeChild(answer ?? undefined, 'sync'), 'collection');
  return collections.find((each) => each.attrs['name'] === name) ?? null;
};

export const askForNews = async (
  parts: QueryParts,
  name: CollectionName,
  before: CollectionState | null,
): Promise<CollectionAnswer | null> => {
  const { sock, endpoint } = parts;
  const node = await askFor(parts, name, before);
  if (node === null || node.attrs['type'] === 'error') return null;
  let left = maxDownloaded;
  return readAnswer(node, name, async (file) => {
    const bytes = await downloadFile(sock, endpoint, file, { kind: 'md-app-state', maxBytes: left });
    left -= bytes.length;
    return bytes;
  });
};

const conflict = '409';
const { SET, REMOVE } = proto.SyncdMutation.SyncdOperation;

/** As the library takes it, with no other record. */
const hashStateOf = ({ version, hash, parts }: CollectionState, indexMac: Uint8Array): LTHashState => {
  const name = nameOfIndex(indexMac);
  const valueMac = parts.get(partOf(indexMac))?.get(name);
  return { version, hash: Buffer.from(hash), indexValueMap: valueMac === undefined ? {} : { [name]: { valueMac } } };
};

/** The collection's new state; null after a concurrent change, or if never read. Throws InvalidRequest, RequestTimeout, MissingKeys. */
export const offer = async (parts: QueryParts, patch: Patch): Promise<Advanced | null> => {
  const { type: name } = patch;
  const stored = await readState(parts, name);
  if (stored === null) return null;
  const id = parts.creds.myAppStateKeyId ?? '';
  const keys = await keysOf(parts, [id]);
  const keyData = keys.get(id);
  if (keyData === undefined) throw new MissingKeys(id === '' ? [] : [id]);
  const { syncAction, apiVersion, isRemoved } = patch;
  const operation = isRemoved === true ? REMOVE : SET;
  const mutation = { type: name, syncAction, apiVersion, index: [...patch.index], operation };
  const indexMac = indexMacOf(keyData, patch.index);
  const before = await withPartsOf(parts, name, stored, [indexMac]);
  const { patch: written } = await encodeSyncdPatch(mutation, id, hashStateOf(before, indexMac), async () => ({
    keyData,
  }));
  const content = proto.SyncdPatch.encode(written).finish();
  const answer = await askFor(parts, name, before, [{ tag: 'patch', attrs: {}, content }]);
  if (answer === null) throw new HandsetError('RequestTimeout', 'Request timeout');
  if (answer.attrs['type'] === 'error') {
    const code = getBinaryNodeChild(answer, 'error')?.attrs['code'];
    if (code === conflict) return null;
    throw invalidRequest(`The network refuses the change (${code ?? 'it gives no reason'})`);
  }
  // Read like another device's patch, which checks the resulting state and stores its content.
  const patches = [{ ...written, version: { version: before.version + 1 } }];
  return advance({ name, snapshot: null, patches, hasMore: false }, before, keys);
};

/** Like whatsmeow's `requestAppStateKeys` (appstate.go, August 2026). */
const requestOf = (ids: readonly string[]): proto.Message.IProtocolMessage => ({
  type: proto.Message.ProtocolMessage.Type.APP_STATE_SYNC_KEY_REQUEST,
  appStateSyncKeyRequest: { keyIds: ids.map((id) => ({ keyId: Buffer.from(id, 'base64') })) },
});

const maxKeys = 50;

/** Asks the phone for missing keys, each once until it shares some. */
export class KeyRequests {
  readonly #sendToPhone: SendToPhone;
  readonly #asked = new Set<string>();

  constructor(send: SendToPhone) {
    this.#sendToPhone = send;
  }

  clear(): void {
    this.#asked.clear();
  }

  async ask(ids: readonly string[]): Promise<void> {
    const due = ids.filter((id) => !this.#asked.has(id)).slice(0, maxKeys);
    if (due.length === 0) return;
    for (const id of due) this.#asked.add(id);
    await this.#sendToPhone(requestOf(due));
  }
}
