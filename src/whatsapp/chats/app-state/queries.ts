/** Stored state of a collection, and the network queries for it. */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '../../engine/nodes.ts';
import type { AuthenticationCreds, WASocket } from '../../engine/types.ts';
import { factsOf } from '../../identity/account.ts';
import type { Endpoint } from '../../connection/endpoint.ts';
import type { SessionStore } from '../../state/session-store.ts';
import { downloadFile } from '../../media/download.ts';
import { type Asking, askTogether } from '../../engine/asked.ts';
import { decodeKey } from '../../signal/key-codec.ts';
import { type Advanced, type CollectionAnswer, type CollectionName, readAnswer } from './collection.ts';
import type { AppStateKeys } from './records.ts';

export interface QueryParts extends Asking {
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  readonly sock: WASocket;
  readonly endpoint: Endpoint;
  readonly store: SessionStore;
}

export type State = Advanced['state'];

export const versionKey = 'app-state-sync-version';
const mostDownloaded = 64 * 1024 * 1024;

/** Null if the collection was never read completely. */
export const stateOf = async ({ store, deviceId, creds }: QueryParts, name: CollectionName): Promise<State | null> => {
  // Versions stored by an earlier release were followed without storing the content.
  if (factsOf(creds).appStateKept !== true) return null;
  const bytes = (await store.readKeys(deviceId, versionKey, [name])).get(name);
  return bytes === undefined ? null : decodeKey(versionKey, bytes);
};

export const keysOf = async ({ store, deviceId }: QueryParts, ids: readonly string[]): Promise<AppStateKeys> => {
  const found = await store.readKeys(deviceId, 'app-state-sync-key', ids);
  const keys = new Map<string, Uint8Array>();
  for (const [id, bytes] of found) {
    const { keyData } = decodeKey('app-state-sync-key', bytes);
    if (keyData) keys.set(id, keyData);
  }
  return keys;
};

/** Queries a collection, or writes `content` to it. Null if the network does not answer. */
export const askFor = async (
  parts: QueryParts,
  name: CollectionName,
  before: State | null,
  content?: BinaryNode[],
): Promise<BinaryNode | null> => {
  const version = String(before?.version ?? 0);
  const attrs = { name, version, return_snapshot: String(before === null) };
  const collection: BinaryNode = { tag: 'collection', attrs, ...(content === undefined ? {} : { content }) };
  const sync: BinaryNode = { tag: 'sync', attrs: {}, content: [collection] };
  const [to, xmlns, type] = [S_WHATSAPP_NET, 'w:sync:app:state', 'set'];
  // Attribute order of stock Baileys, which differs between writes and reads.
  const iq = content === undefined ? { to, xmlns, type } : { to, type, xmlns };
  const [answer = null] = await askTogether(parts, [{ tag: 'iq', attrs: iq, content: [sync] }]);
  const collections = getBinaryNodeChildren(getBinaryNodeChild(answer ?? undefined, 'sync'), 'collection');
  return collections.find((each) => each.attrs['name'] === name) ?? null;
};

/** Queries changes of a collection. Null if the network does not answer or refuses. */
export const askForNews = async (
  parts: QueryParts,
  name: CollectionName,
  before: State | null,
): Promise<CollectionAnswer | null> => {
  const { sock, endpoint } = parts;
  const node = await askFor(parts, name, before);
  if (node === null || node.attrs['type'] === 'error') return null;
  const limits = { kind: 'md-app-state', mostBytes: mostDownloaded } as const;
  return readAnswer(node, name, (file) => downloadFile(sock, endpoint, file, limits));
};
