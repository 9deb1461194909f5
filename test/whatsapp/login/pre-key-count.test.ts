/** The network's notice that few prekeys are left. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeLog } from '../../../src/log.ts';
import { attachAccountNotices, type AccountNoticesParts } from '../../../src/whatsapp/account-notices.ts';
import { newCredentials } from '../../../src/whatsapp/signal/credentials.ts';
import { eventually } from '../../support/wait.ts';
import { noticesOn } from '../receive/intake.ts';
import { memoryStore } from '../signal/support.ts';
import { strictStanzas } from '../socket/strict-stanzas.ts';

test('a notice of few prekeys that has waited, or comes again, publishes none: the login has counted them', async () => {
  const socket = { stanzas: strictStanzas(), isOpen: true };
  let [acknowledged, published] = [0, 0];
  const notices = noticesOn(
    socket,
    (acks) => void (acknowledged += acks.length),
    (error) => assert.fail(String(error)),
  );
  const query = async (): Promise<void> => void (published += 1);
  const [creds, store, log] = [newCredentials(), memoryStore(), makeLog('silent')];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only what it uses of a session
  const parts = { sock: { ...socket, query }, deviceId: 1, creds, store, log } as unknown as AccountNoticesParts;
  attachAccountNotices(notices, parts);
  const count = { tag: 'count', attrs: { value: '3' } };
  const told = (attrs: object): void =>
    socket.stanzas.dispatch({
      tag: 'notification',
      attrs: { id: 'C1', type: 'encrypt', from: '@s.whatsapp.net', ...attrs },
      content: [count],
    });
  told({ offline: '0' });
  told({ offline: '1' });
  await eventually('the acknowledgements', () => acknowledged === 2);
  assert.equal(published, 0);
  told({});
  await eventually('the keys', () => published === 1 && acknowledged === 3);
});
