/** A large member that is kept apart is what parsing the whole body would have given, and is freed with its request. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLargeMember, withLargeMember } from '../../src/http/body/large-member.ts';
import { decodeBase64 } from '../../src/http/handlers/media-source.ts';
import { quietGroup } from '../support/groups.ts';
import { startHttp } from './harness.ts';

const member = 'mediaBase64';
const large = 'QUJD'.repeat(100_000);

const whole = (bytes: Buffer): object => JSON.parse(bytes.toString()) as object;

/** The body as it is with what was kept apart in its place, and whether there was anything. */
const parsed = async (text: string): Promise<{ readonly body: object; readonly apart: boolean }> => {
  const body = parseLargeMember(Buffer.from(text), member, whole);
  return withLargeMember(body, async (value) => {
    await withLargeMember(body, async (again) => assert.equal(again, undefined));
    return { body: value === undefined ? body : { ...body, [member]: value.toString() }, apart: value !== undefined };
  });
};

test('a large value is kept apart, wherever it stands', async () => {
  for (const text of [
    `{"mediaBase64":"${large}","to":"a"}`,
    `{"to":"a \\" b","mediaBase64" :\n "${large}"}`,
    `{"to":"ä","mediaBase64":"data:image/png;base64,${large}","mediaCaption":"mediaBase64"}`,
  ]) {
    const { body, apart } = await parsed(text);
    assert.ok(apart);
    assert.deepEqual(body, JSON.parse(text));
  }
});

test('what only looks like it is parsed as a whole', async () => {
  for (const text of [
    '{"mediaBase64":"QUJD"}',
    `{"mediaBase64":"${large}","mediaBase64":"other"}`,
    `{"in":{"mediaBase64":"${large}"},"mediaBase64":"other"}`,
    `{"mediaBase64":"${large.replace('Q', '\\/')}"}`,
    `{"mediaCaption":"\\"mediaBase64\\":","x":"${large}"}`,
    `{"mediaBase64":7,"x":"${large}"}`,
  ]) {
    const { body, apart } = await parsed(text);
    assert.ok(!apart, text.slice(0, 40));
    assert.deepEqual(body, JSON.parse(text));
  }
  await assert.rejects(() => parsed(`{"mediaBase64":"${large}\n"}`), SyntaxError);
  await assert.rejects(() => parsed(`{"mediaBase64":"${large}"`), SyntaxError);
});

test('it is decoded as text is', () => {
  for (const text of [large, `data:image/png;base64,${large}QQ==`, `${large}QUI`]) {
    const expected = Buffer.from(text.replace(/^data:.*,/, ''), 'base64');
    assert.deepEqual(Buffer.from(decodeBase64(Buffer.from(text), 1_000_000)), expected);
    assert.deepEqual(Buffer.from(decodeBase64(text, 1_000_000)), expected);
  }
  for (const text of [`${large}Q`, `${large}QQ==${large}`, `${large}-_-_`, `${large}ää  `]) {
    assert.throws(() => decodeBase64(Buffer.from(text), 1_000_000), { name: 'InvalidRequest' });
  }
  assert.throws(() => decodeBase64(Buffer.from(large), 299_999), { name: 'PayloadTooLarge' });
});

test('it is freed once the request is done, whatever it is for', async () => {
  await using http = await startHttp();
  const id = await http.linked();
  const { encipher, preparePicture } = http.network;
  const given: Uint8Array[] = [];
  http.network.encipher = async (source, kind) => {
    if (source instanceof Uint8Array) given.push(source);
    return encipher(source, kind);
  };
  http.network.preparePicture = async (bytes, request) => {
    given.push(bytes);
    return preparePicture(bytes, request);
  };
  const mediaBase64 = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47]), Buffer.alloc(300_000)]).toString('base64');
  for (const [method, path, more] of [
    ['post', 'messages/media', { toNumber: '4915112345678' }],
    ['put', 'profile/picture', {}],
    ['put', `groups/${quietGroup.jid}/picture`, {}],
  ] as const) {
    const { status, body } = await http.api[method](`/devices/${id}/${path}`, { mediaBase64, ...more });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(
      given.splice(0).map(({ length }) => length),
      [0],
      path,
    );
  }
});
