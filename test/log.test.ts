/** The logger itself: what others put into their errors is not written down. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeLog } from '../src/log.ts';

const linesOf = (level: string, write: (log: ReturnType<typeof makeLog>) => void): readonly string[] => {
  const lines: string[] = [];
  write(makeLog(level, { write: (line) => void lines.push(line) }));
  return lines;
};

// As the Signal library words it.
const told = 'encrypt error: SessionNotFound(ProtocolAddress { name: "4915550001111", device_id: DeviceId(3) })';

test('the words of an error are logged without the phone numbers and LIDs in them', () => {
  const lines = linesOf('info', (log) => {
    log.warn({ deviceId: 7, error: told }, 'a message was not sent');
    log.warn({ deviceId: 7, reason: told }, 'a session did not close cleanly');
    log.error({ error: { message: 'already plain', status: 500 } }, 'request failed');
  });
  assert.equal(lines.length, 3);
  for (const line of lines) assert.doesNotMatch(line, /\d{7,}/);
  const [first, second, third] = lines.map((line) => JSON.parse(line));
  assert.equal(first.error, told.replace('4915550001111', '…'));
  assert.equal(second.reason, first.error);
  assert.equal(first.deviceId, 7);
  assert.deepEqual(third.error, { message: 'already plain', status: 500 });
});
