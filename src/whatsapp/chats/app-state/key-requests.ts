/** Requests missing application state keys from the phone, each once until keys arrive. */
import { proto } from '../../engine/proto.ts';
import type { SendToPhone } from '../../send/peer-message.ts';

/** Like whatsmeow's `requestAppStateKeys` (appstate.go, August 2026). */
const requestOf = (ids: readonly string[]): proto.Message.IProtocolMessage => ({
  type: proto.Message.ProtocolMessage.Type.APP_STATE_SYNC_KEY_REQUEST,
  appStateSyncKeyRequest: { keyIds: ids.map((id) => ({ keyId: Buffer.from(id, 'base64') })) },
});

const maxKeys = 50;

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
