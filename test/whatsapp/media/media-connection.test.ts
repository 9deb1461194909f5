/** The question for media hosts: kept while it holds, and asked again after a failure. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mediaConnection } from '../../../src/whatsapp/media/upload.ts';
import { mediaConnNode } from './media-conn-node.ts';

test('the answer is kept for its time, and asked anew where that is wanted', async () => {
  let questions = 0;
  const sock = { query: async () => mediaConnNode('mmg.test', `auth ${(questions += 1)}`, 60) };
  assert.deepEqual((await mediaConnection(sock)).hosts, ['mmg.test']);
  assert.equal((await mediaConnection(sock)).auth, 'auth 1');
  assert.equal((await mediaConnection(sock, true)).auth, 'auth 2');
  assert.equal((await mediaConnection(sock)).auth, 'auth 2');
});

test('an answer that has ended is asked again', async () => {
  let questions = 0;
  const sock = { query: async () => mediaConnNode('mmg.test', `auth ${(questions += 1)}`, 0) };
  await mediaConnection(sock);
  assert.equal((await mediaConnection(sock)).auth, 'auth 2');
});

test('a question that fails is asked again', async () => {
  let questions = 0;
  const sock = {
    query: async () => {
      questions += 1;
      if (questions === 1) throw new Error('Timed Out');
      return mediaConnNode('mmg.test', 'auth', 60);
    },
  };
  await assert.rejects(mediaConnection(sock), /Timed Out/);
  assert.equal((await mediaConnection(sock)).auth, 'auth');
});
