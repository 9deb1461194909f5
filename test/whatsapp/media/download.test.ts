/** Downloads that somebody begins and does not read. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { proto } from 'baileys';
import type { MessageRecord } from '../../../src/domain/message.ts';
import { downloadMedia } from '../../../src/whatsapp/media/download.ts';
import type { Endpoint } from '../../../src/whatsapp/connection/endpoint.ts';
import { mediaConnNode } from './media-conn-node.ts';

const content = proto.Message.encode({
  imageMessage: { mimetype: 'image/jpeg', mediaKey: randomBytes(32), directPath: '/v/t62' },
}).finish();

/** A host that sends as fast as the client reads. */
const begin = async () => {
  const body = new Readable({ read: () => body.push(Buffer.alloc(1_600)) });
  const sock = { query: async () => mediaConnNode('localhost', 'auth', 60) };
  const dispatcher = { request: async () => ({ statusCode: 200, body }) };
  const pieces = await downloadMedia(sock, { dispatcher } as unknown as Endpoint, { content } as MessageRecord, () =>
    Promise.reject(new Error('the file is there')),
  );
  return { body, pieces: pieces[Symbol.asyncIterator]() };
};

test('a download that is given up unread lets the host go', async () => {
  const { body, pieces } = await begin();
  await pieces.return?.();
  assert.equal(body.destroyed, true);
  assert.equal((await pieces.next()).done, true);
});

test('a download that is given up in the middle lets the host go', async () => {
  const { body, pieces } = await begin();
  assert.equal((await pieces.next()).done, false);
  await pieces.return?.();
  assert.equal(body.destroyed, true);
});
