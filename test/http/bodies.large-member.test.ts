/** A large member that is kept apart is what parsing the whole body would have given. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLargeMember, takeLargeMember } from '../../src/http/body/large-member.ts';
import { decodeBase64 } from '../../src/http/handlers/media-source.ts';

const member = 'mediaBase64';
const large = 'QUJD'.repeat(100_000);

const whole = (bytes: Buffer): object => JSON.parse(bytes.toString()) as object;

/** The body as it is with what was kept apart in its place, and whether there was anything. */
const parsed = (text: string): { readonly body: object; readonly apart: boolean } => {
  const body = parseLargeMember(Buffer.from(text), member, whole);
  const value = takeLargeMember(body);
  assert.equal(takeLargeMember(body), undefined);
  return { body: value === undefined ? body : { ...body, [member]: value.toString() }, apart: value !== undefined };
};

test('a large value is kept apart, wherever it stands', () => {
  for (const text of [
    `{"mediaBase64":"${large}","to":"a"}`,
    `{"to":"a \\" b","mediaBase64" :\n "${large}"}`,
    `{"to":"ä","mediaBase64":"data:image/png;base64,${large}","mediaCaption":"mediaBase64"}`,
  ]) {
    const { body, apart } = parsed(text);
    assert.ok(apart);
    assert.deepEqual(body, JSON.parse(text));
  }
});

test('what only looks like it is parsed as a whole', () => {
  for (const text of [
    '{"mediaBase64":"QUJD"}',
    `{"mediaBase64":"${large}","mediaBase64":"other"}`,
    `{"in":{"mediaBase64":"${large}"},"mediaBase64":"other"}`,
    `{"mediaBase64":"${large.replace('Q', '\\/')}"}`,
    `{"mediaCaption":"\\"mediaBase64\\":","x":"${large}"}`,
    `{"mediaBase64":7,"x":"${large}"}`,
  ]) {
    const { body, apart } = parsed(text);
    assert.ok(!apart, text.slice(0, 40));
    assert.deepEqual(body, JSON.parse(text));
  }
  assert.throws(() => parsed(`{"mediaBase64":"${large}\n"}`), SyntaxError);
  assert.throws(() => parsed(`{"mediaBase64":"${large}"`), SyntaxError);
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
