/**
 * The process that signal.crash.test.ts kills: it reads ciphertexts from its input, and for each writes an
 * acknowledgement and an encrypted answer. Arguments: the store's folder and the device's id.
 */
import assert from 'node:assert/strict';
import { createInterface } from 'node:readline';
import { openStore } from '../../src/store/open.ts';
import { parseCredentials } from '../../src/whatsapp/signal/credentials.ts';
import type { FromChild, ToChild } from './signal.crash.test.ts';
import { ourParty } from './signal.support.ts';

const [dataDir, id] = process.argv.slice(2);
assert.ok(dataDir && id);
const deviceId = Number(id);

const stores = await openStore({ dataDir, secret: null });
const credentials = await stores.credentials.loadCredentials(deviceId);
assert.ok(credentials);

const { repository } = ourParty('1000@lid', {
  store: stores.credentials,
  deviceId,
  creds: parseCredentials(credentials),
  // Any event will do, if it can be told from the others; nothing but the transaction keeps it from being doubled.
  onPlaintext: ({ plaintext, jid }) => ({
    events: [
      {
        at: 0,
        orderKey: jid,
        event: {
          type: 'message.deleted',
          data: {
            messageId: Buffer.from(plaintext).toString(),
            chat: jid,
            chatNumber: null,
            chatLid: null,
            by: { jid, number: null, lid: null },
          },
        },
      },
    ],
  }),
});

const tell = (message: FromChild): void => {
  process.stdout.write(`${JSON.stringify(message)}\n`);
};

const handle = async ({ id: messageId, jid, type, ciphertext }: ToChild): Promise<void> => {
  const plaintext = await repository.decryptMessage({ jid, type, ciphertext: Buffer.from(ciphertext, 'base64') });
  tell({ acknowledged: messageId, text: Buffer.from(plaintext).toString() });
  const answer = await repository.encryptMessage({ jid, data: Buffer.from(`answer to ${messageId}`) });
  tell({ jid, type: answer.type, ciphertext: Buffer.from(answer.ciphertext).toString('base64') });
};

/** One message after the other in each chat, all chats at once. */
const chats = new Map<string, Promise<void>>();
createInterface({ input: process.stdin }).on('line', (line) => {
  const message: ToChild = JSON.parse(line);
  const before = chats.get(message.jid) ?? Promise.resolve();
  const next = before.then(() => handle(message));
  chats.set(
    message.jid,
    next.catch((error: unknown) => tell({ failed: message.id, error: String(error) })),
  );
});
