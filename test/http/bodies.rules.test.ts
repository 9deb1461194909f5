/** A 400 names the field and the rule (docs/spec/http-interface.md, Errors). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeBase64 } from '../../src/http/handlers/media-source.ts';
import { nearestName } from '../../src/domain/nearest.ts';
import { withHttp } from './harness.ts';

const number = '4915112345678';
const kinds =
  'connection.open, connection.closed, connection.auth, connection.timeout, connection.logout, message.received, message.sent, message.updated, message.deleted, call';

const nameRule = 'name must be a string of 1 to 100 characters, at least one of them visible, and none U+0000';

const createRules: readonly (readonly [object, string])[] = [
  [{ webhokUrl: 'https://example.com' }, 'Unknown field "webhokUrl"; did you mean "webhookUrl"?'],
  [{ webhook_events: [] }, 'Unknown field "webhook_events"; did you mean "webhookEvents"?'],
  [
    { constructor: 1 },
    'Unknown field "constructor". The fields are name, webhookUrl, webhookEvents, phoneNumber, proxy',
  ],
  [{ name: '' }, nameRule],
  [{ name: 'x'.repeat(101) }, nameRule],
  [{ name: 5 }, nameRule],
  [{ name: null }, nameRule],
  [{ name: 'a\0b' }, nameRule],
  [{ webhookUrl: 5 }, 'webhookUrl must be a URL of at most 2,048 characters'],
  [{ webhookUrl: null }, 'webhookUrl must be a URL of at most 2,048 characters'],
  [{ webhookUrl: 'ftp://example.com' }, 'webhookUrl must be an http:// or https:// URL'],
  [{ webhookEvents: 'call' }, 'webhookEvents must be an array of event kinds'],
  [{ webhookEvents: ['call', 'ring'] }, `webhookEvents has an unknown event kind "ring"; the kinds are ${kinds}`],
  [{ webhookEvents: [5] }, `webhookEvents has an unknown event kind that is not a string; the kinds are ${kinds}`],
  [
    { phoneNumber: '+4915112345678' },
    'phoneNumber must be 8 to 15 digits with the country code, without +, spaces or signs: 4915550002222',
  ],
  [
    { phoneNumber: '1234567' },
    'phoneNumber must be 8 to 15 digits with the country code, without +, spaces or signs: 4915550002222',
  ],
  [{ phoneNumber: 4915112345678 }, 'phoneNumber must be a string, not a number'],
];

test(
  'create names the member and the rule, and makes no device',
  withHttp(async ({ api }) => {
    for (const [body, message] of createRules) {
      const answer = await api.post('/devices', body);
      assert.deepEqual([answer.status, answer.body.status.message], [400, message]);
    }
    const poisoned = await api.post('/devices', undefined, { raw: '{"__proto__":{"name":"x"}}' });
    assert.equal(poisoned.status, 400);
    assert.match(poisoned.body.status.message, /^Unknown field "__proto__"/);
    assert.equal((await api.get('/devices')).body.devices.length, 0);
  }),
);

test(
  'a list says which of its values is unknown',
  withHttp(async ({ api }) => {
    const answer = await api.post('/keys', { name: 'bot', actions: ['write'] });
    assert.deepEqual(
      [answer.status, answer.body.status.message],
      [400, 'actions has an unknown value "write"; the values are read, send, manage, admin'],
    );
  }),
);

test(
  'update takes null for the URL, and only the members that it knows',
  withHttp(async ({ api, device }) => {
    const id = await device();
    const rules: readonly (readonly [object, string])[] = [
      [{ subscription_status: 'paused' }, 'subscription_status must be active or inactive'],
      [{ subscriptionStatus: 'active' }, 'Unknown field "subscriptionStatus"; did you mean "subscription_status"?'],
      [{ webhook: null }, 'Unknown field "webhook"; did you mean "webhookUrl"?'],
      [{ webhookUrl: 5 }, 'webhookUrl must be a URL of at most 2,048 characters, or null'],
    ];
    for (const [body, message] of rules) {
      const answer = await api.put(`/devices/${id}`, body);
      assert.deepEqual([answer.status, answer.body.status.message], [400, message]);
    }
    assert.equal((await api.put(`/devices/${id}`, { webhookUrl: null })).status, 200);
  }),
);

const jidRule = 'to must be a JID: <digits>@s.whatsapp.net, <digits>@lid or <id>@g.us';

test(
  'send text: the recipient and the message',
  withHttp(async ({ api, linked, network }) => {
    const path = `/devices/${await linked()}/messages/text`;
    network.script.unknownNumbers.add('4915199999999');
    const message = 'Hello';
    const to = `${number}@s.whatsapp.net`;
    const rules: readonly (readonly [object, string])[] = [
      [{ message }, 'Exactly one of to, toNumber and toUsername must be given; all are missing'],
      [{ to, toNumber: number, message }, 'Exactly one of to, toNumber and toUsername must be given, not more'],
      [
        { toNumber: '123', message },
        'toNumber must be 8 to 15 digits with the country code, without +, spaces or signs: 4915550002222',
      ],
      [
        { toNumber: '1'.repeat(16), message },
        'toNumber must be 8 to 15 digits with the country code, without +, spaces or signs: 4915550002222',
      ],
      [
        { toNumber: '٤٩١٥١١٢٣٤٥٦٧', message },
        'toNumber must be 8 to 15 digits with the country code, without +, spaces or signs: 4915550002222',
      ],
      [
        { toNumber: `${number}\n`, message },
        'toNumber must be 8 to 15 digits with the country code, without +, spaces or signs: 4915550002222',
      ],
      [{ toNumber: Number(number), message }, 'toNumber must be a string, not a number'],
      [{ toNumber: `00${number}`, message }, 'toNumber must begin with the country code, not with 0'],
      [{ to: 'abc', message }, `${jidRule}; a phone number is given as toNumber`],
      [{ to: `${number}@c.us`, message }, `${jidRule}; in place of @c.us write @s.whatsapp.net`],
      [{ to: 5, message }, 'to must be a string, not a number'],
      [{ to }, 'message is required'],
      [{ to, message: '' }, 'message must be a string of 1 to 65,536 characters'],
      [{ to, message: 'x'.repeat(65_537) }, 'message must be a string of 1 to 65,536 characters'],
      [{ to, message: '😀'.repeat(65_537) }, 'message must be a string of 1 to 65,536 characters'],
      [{ to, message: 'half \ud83d of a pair' }, 'message must be well-formed Unicode, without half surrogate pairs'],
      [{ to, message: ['x'] }, 'message must be a string of 1 to 65,536 characters'],
      [{ to, mesage: 'x' }, 'Unknown field "mesage"; did you mean "message"?'],
      [
        { to, text: 'x' },
        'Unknown field "text". The fields are to, toNumber, toUsername, usernameKey, message, linkPreview, quotedMessageId, mentions, mentionAll, sendAt, sendUntil',
      ],
      [{ toNumber: '4915199999999', message }, 'toNumber is not on the network: no account has this number'],
    ];
    for (const [body, text] of rules) {
      const answer = await api.post(path, body);
      assert.deepEqual([answer.status, answer.body.status.message], [400, text]);
    }
    assert.equal(network.sent.length, 0);
    for (const [recipient, character] of [
      [to, '😀'],
      ['123456789@lid', 'x'],
      ['120363025246125486@g.us', 'é'],
    ] as const) {
      const answer = await api.post(path, { to: recipient, message: character.repeat(65_536) });
      assert.equal(answer.status, 200);
      assert.deepEqual(Object.keys(answer.body).sort(), ['messageId', 'status']);
      assert.equal(answer.body.status, 'success');
    }
    assert.equal(network.sent.length, 3);
  }),
);

const base64Rule = 'mediaBase64 must be base64 without line breaks, or a base64 data URL';

test(
  'send media: exactly one source, strict base64, caption',
  withHttp(async ({ api, linked, network }) => {
    const path = `/devices/${await linked()}/messages/media`;
    const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 1]).toString('base64');
    const rules: readonly (readonly [object, string])[] = [
      [{}, 'Exactly one of mediaUrl, mediaBase64 and fileId must be given; all are missing'],
      [
        { mediaUrl: 'https://x.org/a.png', mediaBase64: png },
        'Exactly one of mediaUrl, mediaBase64 and fileId must be given, not more',
      ],
      [{ mediaBase64: 'not base64!' }, base64Rule],
      [{ mediaBase64: 'iVBO\nRw==' }, base64Rule],
      [{ mediaBase64: 'data:image/png,iVBORw==' }, base64Rule],
      [{ mediaBase64: 5 }, 'mediaBase64 must be a string in base64'],
      [{ mediaUrl: 'file:///etc/passwd' }, 'mediaUrl must be an http:// or https:// URL'],
      [
        { mediaBase64: png, mediaCaption: 'x'.repeat(1025) },
        'mediaCaption must be a string of at most 1,024 characters',
      ],
      [{ mediaBase64: png, caption: 'x' }, 'Unknown field "caption"; did you mean "mediaCaption"?'],
    ];
    for (const [body, text] of rules) {
      const answer = await api.post(path, { toNumber: number, ...body });
      assert.deepEqual([answer.status, answer.body.status.message], [400, text]);
    }
    const both = await api.post(path, { mediaBase64: png });
    assert.equal(both.body.status.message, 'Exactly one of to, toNumber and toUsername must be given; all are missing');
    const sources = [
      { mediaBase64: png },
      { mediaBase64: `data:image/png;base64,${png}` },
      { mediaUrl: 'https://x.org/a.png' },
    ];
    for (const source of sources) {
      const answer = await api.post(path, { toNumber: number, mediaCaption: 'A cat', ...source });
      assert.deepEqual([answer.status, answer.body.status], [200, 'success']);
    }
    const captions = network.sent.map(({ content }) => (content.kind === 'image' ? content.image.caption : null));
    assert.deepEqual(captions, ['A cat', 'A cat', 'A cat']);
  }),
);

test(
  'query parameters follow the same rules',
  withHttp(async ({ api, device }) => {
    const id = await device();
    const rules = [
      ['/devices?limit=0', 'limit must be a whole number from 1 to 1000'],
      ['/devices?limit=1001', 'limit must be a whole number from 1 to 1000'],
      ['/devices?limit=ten', 'limit must be a whole number from 1 to 1000'],
      ['/devices?limit=1&limit=2', 'limit must be a whole number from 1 to 1000'],
      ['/devices?limits=1', 'Unknown query parameter "limits"; did you mean "limit"?'],
      ['/devices?cursor=nonsense', 'cursor must be a nextCursor of this list'],
      [`/devices/${id}/qr?format=gif`, 'format must be png, svg or text'],
      [`/devices/${id}/deliveries?state=done`, 'state must be pending, delivered or failed'],
      [`/devices/${id}/events?after=evt_0`, 'after must be the id of an event of this device'],
      [`/devices/${id}/events?order=newest&before=evt_0`, 'before must be the id of an event of this device'],
      [`/devices/${id}/events?before=evt_0`, 'before is for order=newest; give after'],
      [`/devices/${id}/events?order=newest&after=evt_0`, 'after is for order=oldest; give before'],
      [`/devices/${id}/events?order=first`, 'order must be oldest or newest'],
    ] as const;
    for (const [path, message] of rules) {
      const answer = await api.get(path);
      assert.deepEqual([answer.status, answer.body.status.message], [400, message], path);
    }
  }),
);

const decode = (text: string): string => Buffer.from(decodeBase64(text, 100)).toString('latin1');

test('base64 is decoded strictly, and measured before it is', () => {
  for (const text of ['', 'a', 'ab', 'abc', 'abcd']) {
    const coded = Buffer.from(text).toString('base64');
    assert.equal(decode(coded), text);
    assert.equal(decode(coded.replace(/=+$/, '')), text);
    assert.equal(decode(`data:image/png;name=x;base64,${coded}`), text);
  }
  const malformed = ['a', 'ab=', 'abc==', '=', 'ab=c', 'a-b_', 'ab cd', 'abcé', 'data:,abcd', 'data:image/png;base64'];
  for (const text of malformed) assert.throws(() => decode(text), { message: base64Rule }, text);
  assert.equal(decodeBase64(Buffer.alloc(100).toString('base64'), 100).length, 100);
  assert.throws(() => decodeBase64(Buffer.alloc(101).toString('base64'), 100), { name: 'PayloadTooLarge' });
});

test('the nearest name counts letters, not spelling', () => {
  const known = ['to', 'toNumber', 'mediaUrl', 'mediaBase64', 'mediaCaption'];
  const cases = {
    media_url: 'mediaUrl',
    number: 'toNumber',
    mediaBase: 'mediaBase64',
    TO: 'to',
    caption: 'mediaCaption',
  };
  for (const [typo, name] of Object.entries(cases)) assert.equal(nearestName(typo, known), name);
});
