/**
 * The process that signal.crash.test.ts kills: it reads ciphertexts from its input, and for each writes an
 * acknowledgement and three encrypted answers. Arguments: the store's folder and the device's id.
 */
import assert from 'node:assert/strict';
import { createInterface } from 'node:readline';
import { openStore } from '../../../src/store/open-sqlite.ts';
import { parseCredentials } from '../../../src/whatsapp/signal/credentials.ts';
import type { EncryptBatch } from '../../../src/whatsapp/signal/batches.ts';
import type { FromChild, ToChild } from './crash.test.ts';
import { ourParty } from './support.ts';

const [dataDir, id] = process.argv.slice(2);
assert.ok(dataDir && id);
const deviceId = Number(id);

const stores = await openStore({ dataDir, secret: null });
const credentials = await stores.credentials.loadCredentials(deviceId);
assert.ok(credentials);

const { repository } = ourParty('1000@lid', {
  store: { ...stores.credentials, ...stores.changes },
  deviceId,
  creds: parseCredentials(credentials),
  // Any event will do, if it can be told from the others; nothing but the transaction keeps it from being doubled.
  onPlaintext: ({ plaintext, jid }) => ({
    facts: [
      {
        at: 0,
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

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the support types it as Baileys' own
const encryptBatch = Reflect.get(repository, 'encryptBatch') as EncryptBatch;
const answers = 3;

const tell = (message: FromChild): void => {
  process.stdout.write(`${JSON.stringify(message)}\n`);
};

const handle = async ({ id: messageId, jid, type, ciphertext }: ToChild): Promise<void> => {
  const plaintext = await repository.decryptMessage({ jid, type, ciphertext: Buffer.from(ciphertext, 'base64') });
  tell({ acknowledged: messageId, text: Buffer.from(plaintext).toString() });
  // In a commit each, so that the process may be killed between any two.
  for (let n = 0; n < answers; n += 1) {
    const plaintexts = [{ jid, plaintext: Buffer.from(`answer ${n} to ${messageId}`) }];
    const [answer] = (await encryptBatch(plaintexts, {}, false)).encrypted;
    tell({ jid, type: answer!.type, ciphertext: Buffer.from(answer!.ciphertext).toString('base64') });
  }
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
