/** Asks the phone for keys of the application state that are missing here, each once until keys have come. */
import { jidNormalizedUser, proto, type WASocket } from 'baileys';

/** As whatsmeow's `requestAppStateKeys` (appstate.go, August 2026). */
const requestOf = (ids: readonly string[]): proto.IMessage => ({
  protocolMessage: {
    type: proto.Message.ProtocolMessage.Type.APP_STATE_SYNC_KEY_REQUEST,
    appStateSyncKeyRequest: { keyIds: ids.map((id) => ({ keyId: Buffer.from(id, 'base64') })) },
  },
});

const mostKeys = 50;

export class KeyRequests {
  readonly #sock: Pick<WASocket, 'authState' | 'relayMessage'>;
  readonly #asked = new Set<string>();

  constructor(sock: Pick<WASocket, 'authState' | 'relayMessage'>) {
    this.#sock = sock;
  }

  clear(): void {
    this.#asked.clear();
  }

  async ask(ids: readonly string[]): Promise<void> {
    const { me } = this.#sock.authState.creds;
    const due = ids.filter((id) => !this.#asked.has(id)).slice(0, mostKeys);
    if (due.length === 0 || me === undefined) return;
    for (const id of due) this.#asked.add(id);
    await this.#sock.relayMessage(jidNormalizedUser(me.id), requestOf(due), {
      additionalAttributes: { category: 'peer', push_priority: 'high_force' },
      additionalNodes: [{ tag: 'meta', attrs: { appdata: 'default' } }],
    });
  }
}
